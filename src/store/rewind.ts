import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { entriesFrom } from './forward.js';
import { type Bytes, readTail } from './journal.js';
import { patched } from './patch.js';
import { BEGINNING, type Codec, type Entry, type Moment, type Numbered } from './store.js';

/** `Store.rewind`: folds the journal up to the commit that holds entry `seq` (storage.md, History). */
export function rewound<S extends Numbered>(bytes: Bytes, seq: number, codec: Codec<S>): Moment<S> | null {
  const tail = readTail(bytes);
  if (seq < 1 || seq > tail.seq) return null;
  const documents = new Map<string, string>();
  let state: JsonObject | null = null;
  let first = 1;
  for (const { entry } of entriesFrom(bytes, tail, BEGINNING)) {
    state = applied(state, entry, bytes.name);
    for (const { path, after } of entry.files) {
      if (after === null) documents.delete(path);
      else documents.set(path, after);
    }
    if (entry.more) continue;
    if (entry.seq < seq) {
      first = entry.seq + 1;
      continue;
    }
    if (state === null) throw misfit(bytes.name, entry);
    const snapshot = codec.parse(codec.serialize(state as unknown as S));
    return { snapshot, first, last: entry.seq, at: entry.at, documents, torn: tail.end < bytes.size };
  }
  return null;
}

function applied(state: JsonObject | null, entry: Entry, name: string): JsonObject | null {
  try {
    return entry.patch.length > 0 ? patched(state, entry.patch) : state;
  } catch {
    throw misfit(name, entry);
  }
}

function misfit(name: string, { seq }: Entry): DevCliError {
  const problem = 'the change it records does not fit the state before it';
  return new DevCliError('STATE_CORRUPT', `In ${name}, entry ${seq}: ${problem}. Nothing was changed.`, {
    details: [{ target: name, problem: `entry ${seq}: ${problem}` }],
    fix: `Show this to the user: ${name} has to be restored from a copy.`,
  });
}
