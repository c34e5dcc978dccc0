import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { runCodec } from '../../../src/run/codec.js';
import { applyJsonPatch, serializeSnapshot } from '../../../src/store/snapshot.js';
import { readEntries } from '../../support/entries.js';
import { type GoldenRun, goldenRuns } from '../../support/golden.mjs';
import { CHECKOUT } from '../../support/project.mjs';

// storage.md, state.json: reads the fields that other programs rely on, as these programs do, at every step of every
// golden run.

interface Field {
  path: string;
  kinds: readonly string[];
}

const PAGE = readFileSync(join(CHECKOUT, 'docs/spec/storage.md'), 'utf8');
const FIELDS = [...PAGE.matchAll(/^\| `(\.[^`]+)` +\| ([a-z ]+?) +\|/gm)].map(([, path = '', kinds = '']): Field => {
  return { path, kinds: kinds.split(' or ') };
});

/** Evaluates a path of `jq`: names, and `[]` for each member; a member of null yields null, as with `?`. */
function read(value: unknown, path: string): unknown[] {
  const steps = path.match(/\.\w+|\[\]/g) ?? [];
  return steps.reduce<unknown[]>(
    (found, step) =>
      found.flatMap((one) => {
        if (step === '[]') return one === null ? [] : Object.values(one as object);
        return [one === null ? null : ((one as JsonObject)[step.slice(1)] ?? null)];
      }),
    [value],
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Yields every text that state.json has had. */
function* statesOf({ name, files }: GoldenRun): Generator<string> {
  let state: JsonObject | null = null;
  for (const { patch, more } of readEntries(Buffer.from(files[`.dev/specs/${name}/events.jsonl`] ?? ''))) {
    if (patch.length > 0) state = applyJsonPatch(state, structuredClone(patch));
    if (more !== true && state !== null) yield serializeSnapshot(state, runCodec);
  }
}

function listFaults(state: unknown, fields: readonly Field[]): string[] {
  return fields.flatMap(({ path, kinds }) =>
    read(state, path).flatMap((value) => (kinds.includes(kindOf(value)) ? [] : `${path} is ${kindOf(value)}`)),
  );
}

describe('the fields that the page promises', () => {
  const seen = new Set<string>();
  const all = goldenRuns().map(({ title, load }) => ({ title, load }));

  it('are a table', () => expect(FIELDS.length).toBeGreaterThan(40));

  it.each(all)('are there at every step: $title', ({ load }) => {
    const run = load();
    let last = '';
    for (const text of statesOf(run)) {
      const state = JSON.parse(text);
      expect(listFaults(state, FIELDS)).toEqual([]);
      expect(state.events.length).toBeLessThanOrEqual(20);
      expect(state.events.at(-1).seq).toBeGreaterThan(state.seq - 20);
      for (const { path } of FIELDS) if (read(state, path).some((value) => value !== null)) seen.add(path);
      last = text;
    }
    expect(last).toBe(run.files[`.dev/specs/${run.name}/state.json`]);
  });

  it('have all had a value somewhere', () => {
    expect(FIELDS.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([]);
  });

  it('are missed where one has another name or kind', () => {
    const [{ load } = all[0] as never] = all;
    const [first = ''] = statesOf(load());
    const renamed = [
      { path: '.skil', kinds: ['string'] },
      { path: '.reviewRounds', kinds: ['list'] },
    ];
    expect(listFaults(JSON.parse(first), renamed)).toEqual(['.skil is null', '.reviewRounds is number']);
  });
});
