import type { Clock, Ids } from '../../../src/base/clock.js';
import { DevCliError } from '../../../src/base/errors.js';
import type { FileChange } from '../../../src/base/files.js';
import { isRecord, type Json, type JsonObject } from '../../../src/base/json.js';
import type { Codec, Decide, NewEntry, StreamState } from '../../../src/store/store.js';

/** A small snapshot for tests of stores. */
export interface Sample {
  seq: number;
  count: number;
  body: Json;
}

export const sampleCodec: Codec<Sample> = {
  parse(text) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new DevCliError('STATE_CORRUPT', 'not JSON');
    }
    if (!isRecord(value) || typeof value['seq'] !== 'number' || typeof value['count'] !== 'number') {
      throw new DevCliError('STATE_CORRUPT', 'not a sample');
    }
    if (value['newer'] === true) throw new DevCliError('STATE_NEWER', 'from the future');
    return value as unknown as Sample;
  },
};

/** Creates a clock that advances by a second each time it is read. */
export function steppingClock(): Clock {
  let now = Date.UTC(2026, 0, 1);
  return {
    now() {
      now += 1000;
      return now;
    },
  };
}

/** Creates ids that count up. */
export function countingIds(): Ids {
  let n = 0;
  return {
    hex(length) {
      n += 1;
      return n.toString(16).padStart(length, '0');
    },
  };
}

export function entry(type: string): NewEntry {
  return { type, by: { kind: 'cli', via: 'test' }, data: {} };
}

interface Step {
  entries?: string[];
  files?: FileChange[];
  body?: Json;
  /** Null for no marks; default: the marks of an unguarded run. */
  marks?: JsonObject | null;
}

/** Creates a decide function that increments the count and writes the step's entries, files and marks. */
export function step({
  entries = ['counted'],
  files = [],
  body,
  marks = { guarded: false },
}: Step): Decide<Sample, number> {
  return (head: StreamState<Sample>) => {
    const count = (head.snapshot?.count ?? 0) + 1;
    const [first = 'counted', ...rest] = entries;
    return {
      answer: count,
      entries: [entry(first), ...rest.map(entry)],
      snapshot: { seq: -1, count, body: body === undefined ? (head.snapshot?.body ?? null) : body },
      files,
      ...(marks === null ? {} : { marks }),
    };
  };
}

/** Returns the code of the DevCliError that `work` throws. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DevCliError) return error.code;
    throw error;
  }
  return 'no error';
}
