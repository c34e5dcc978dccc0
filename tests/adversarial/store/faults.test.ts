import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { openStore, temporaryRoot } from '../../core/store/disk.js';
import { SCENES } from './scenes.js';

// The disk fails at each call in turn: it is full, broken, or removed. Old data must survive, and errors must be clear.

type Call = (...args: unknown[]) => unknown;
const calls = fs as unknown as Record<string, Call>;
const CHANGING = [
  'fsyncSync',
  'linkSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'unlinkSync',
  'writeFileSync',
  'writeSync',
];
const originals = new Map(CHANGING.map((name) => [name, calls[name] as Call]));

function restore(): void {
  for (const [name, original] of originals) calls[name] = original;
  syncBuiltinESMExports();
}

/** Makes the `limit`-th call fail; if it is a write, half of the data is written first, as on a full disk. */
function failAt(limit: number, code: string): () => boolean {
  let count = 0;
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      count += 1;
      if (count !== limit) return original(...args);
      if (name === 'writeSync') {
        const bytes = Buffer.from(args[1] as Buffer);
        originals.get('writeSync')?.(args[0], bytes, 0, Math.floor(bytes.length / 2));
      }
      throw Object.assign(new Error(`${code}: made up`), { code, errno: -1, syscall: name.replace('Sync', '') });
    };
  }
  syncBuiltinESMExports();
  return () => count >= limit;
}

/**
 * Paths that a failed commit may leave: directories from which a lock's temporary file could not be removed, and a
 * guard file that says `open`.
 */
const HARMLESS = ['.dev', '.dev/guard', '.dev/specs', '.dev/specs/run'];

afterEach(restore);

function tree(root: string): string[] {
  return fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

describe.each(Object.keys(SCENES))('a disk that fails in the %s commit of a run', (name) => {
  it('leaves the state before, or after and to be finished', { timeout: 120_000 }, async () => {
    const code = 'ENOSPC';
    const scene = SCENES[name] as (typeof SCENES)[string];
    let failed = 0;
    for (let call = 1, reached = true; reached; call++) {
      const root = temporaryRoot();
      for (const decide of scene.before) await openStore(root).transact('run', decide);
      const before = tree(root);
      const store = openStore(root, 0);

      const hit = failAt(call, code);
      const error: unknown = await store.transact('run', scene.crashing).catch((reason: unknown) => reason);
      reached = hit();
      restore();

      const where = `${name}, ${code} at call ${call}`;
      const happened = ((await store.read('run')).snapshot?.count ?? 0) - scene.before.length;
      if (error instanceof Error) {
        failed += 1;
        expect(error, where).toBeInstanceOf(DevCliError);
        // LOCKED: a commit takes the root's lock twice, and the disk may fail when the lock is to be removed after the
        // first time.
        expect(['IO', 'LOCKED'], where).toContain((error as DevCliError).code);
        expect(error, where).toMatchObject({ fix: expect.stringMatching(/repeat the same call/i) });
        expect(error.message, where).not.toContain(root);
        expect(error.message.includes('is recorded'), where).toBe(happened === 1);
      } else {
        expect(happened, where).toBe(1);
      }
      // A lock that could not be removed becomes free when its process ends. But this process does not end, so the test
      // removes the locks.
      for (const lock of ['.dev/specs/run/lock', '.dev/lock']) fs.rmSync(join(root, lock), { force: true });
      const added = tree(root).filter((path) => !before.includes(path) && !/lock\.\d+\.[0-9a-f]+$/.test(path));
      if (happened === 0)
        expect(
          added.filter((path) => !HARMLESS.includes(path)),
          where,
        ).toEqual([]);
      expect(await store.transact('run', (head) => ({ answer: head.snapshot?.count ?? 0 })), where).toBe(
        scene.before.length + happened,
      );
      expect((await store.replay('run')).equal, where).toBe(true);
    }
    expect(failed).toBeGreaterThan(15);
  });
});
