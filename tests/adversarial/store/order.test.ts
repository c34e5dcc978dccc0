import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openStore, temporaryRoot } from '../../core/store/disk.js';
import { step } from '../../core/store/sample.js';
import { SCENES } from './scenes.js';

// What a power cut leaves depends on the order in which files become durable; this order is recorded and checked.

type Call = (...args: unknown[]) => unknown;
const calls = fs as unknown as Record<string, Call>;
const names = ['openSync', 'fsyncSync', 'renameSync', 'unlinkSync', 'writeSync'];
const originals = new Map(names.map((name) => [name, calls[name] as Call]));

function restore(): void {
  for (const [name, original] of originals) calls[name] = original;
  syncBuiltinESMExports();
}

/** Records `sync`, `write`, `put` (renamed to) and `remove`, each with its path; shortens temporary names. */
function recorded(root: string): string[] {
  const notes: string[] = [];
  const open = new Map<unknown, string>();
  const shown = (path: unknown): string =>
    relative(root, String(path))
      .replace(/\.\d{5,}$|\.tmp$/, '~')
      .replace(/[0-9a-f]{64}/, 'SHA') || '.';
  const note: Record<string, (args: unknown[], result: unknown) => void> = {
    openSync: ([path], result) => open.set(result, shown(path)),
    fsyncSync: ([descriptor]) => notes.push(`sync ${open.get(descriptor)}`),
    writeSync: ([descriptor]) => notes.push(`write ${open.get(descriptor)}`),
    renameSync: ([, to]) => notes.push(`put ${shown(to)}`),
    unlinkSync: ([path]) => notes.push(`remove ${shown(path)}`),
  };
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      const result = original(...args);
      note[name]?.(args, result);
      return result;
    };
  }
  syncBuiltinESMExports();
  return notes;
}

afterEach(restore);

async function order(name: string, decide = SCENES[name]?.crashing): Promise<string[]> {
  const root = temporaryRoot();
  const scene = SCENES[name] as (typeof SCENES)[string];
  for (const decide of scene.before) await openStore(root).transact('run', decide);
  const notes = recorded(root);
  await openStore(root).transact('run', decide ?? scene.crashing);
  restore();
  return notes.filter((note) => !note.includes('lock')).map((note) => note.replace('.dev/specs/run', 'RUN'));
}

describe('what is durable before what', () => {
  it('in a commit in the middle of a run', async () => {
    expect(await order('middle')).toEqual([
      ...['write RUN/events.jsonl', 'sync RUN/events.jsonl'],
      ...['write RUN/DRAFT.md~', 'put RUN/DRAFT.md'],
      'remove RUN/gone.md',
      ...['write RUN/analysis/gap.md~', 'put RUN/analysis/gap.md'],
      ...['write RUN/state.json~', 'put RUN/state.json'],
    ]);
  });

  it('in a commit with a large content, and a document outside the run', async () => {
    const files = [
      { path: 'large.md', content: 'x'.repeat(70_000) },
      { path: '/docs/a.md', content: 'a' },
    ];
    expect(await order('middle', step({ files, marks: { guarded: true } }))).toEqual([
      ...['sync .', 'sync RUN'],
      ...['write RUN/objects/SHA~', 'sync RUN/objects/SHA~', 'put RUN/objects/SHA', 'sync RUN/objects'],
      ...['write RUN/events.jsonl', 'sync RUN/events.jsonl'],
      ...['write RUN/large.md~', 'put RUN/large.md'],
      ...['write docs/a.md~', 'sync docs/a.md~', 'put docs/a.md', 'sync docs'],
      ...['write RUN/state.json~', 'put RUN/state.json'],
    ]);
  });

  it('for documents that wait for a first commit: every directory on the way is reachable', async () => {
    const root = temporaryRoot();
    const notes = recorded(root);
    await openStore(root).place('run', () => ({ answer: null, files: [{ path: 'PLAN.md', content: 'plan' }] }));
    restore();
    const after = notes.slice(notes.indexOf('put .dev/specs/run/PLAN.md'));
    expect(after).toEqual(expect.arrayContaining(['sync .dev/specs/run', 'sync .dev/specs', 'sync .dev', 'sync .']));
  });

  it('in the first commit: every directory on the way is reachable, and the guard is up before it counts', async () => {
    const notes = await order('first');
    const commit = notes.indexOf('sync RUN/events.jsonl');
    expect(notes.indexOf('put .dev/guard')).toBeLessThan(commit);
    const after = notes.slice(commit + 1, commit + 5);
    expect(after).toEqual(['sync RUN', 'sync .dev/specs', 'sync .dev', 'sync .']);
    expect(notes.indexOf('put .dev/active-spec')).toBeLessThan(notes.indexOf('put RUN/state.json'));
  });

  it('in the last commit: the pointer goes before the snapshot, the guard after it', async () => {
    const notes = await order('last');
    const state = notes.indexOf('put RUN/state.json');
    expect(notes.indexOf('remove .dev/active-spec')).toBeGreaterThan(notes.indexOf('sync RUN/events.jsonl'));
    expect(notes.indexOf('remove .dev/active-spec')).toBeLessThan(state);
    expect(notes.indexOf('put .dev/guard')).toBeGreaterThan(state);
  });
});
