import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.js';
import { openStore, temporaryRoot } from '../../core/store/disk.js';
import { type Sample, step } from '../../core/store/sample.js';
import { finished, startWorker } from './processes.js';
import { SCENES } from './scenes.js';

const AT_ONCE = 3;

async function prepared(name: string): Promise<string> {
  const root = temporaryRoot();
  for (const decide of SCENES[name]?.before ?? []) await openStore(root).transact('run', decide);
  return root;
}

async function documents(store: Store<Sample>, names: string[]): Promise<Record<string, string | null>> {
  const { files } = await store.read('run');
  return Object.fromEntries(names.map((path) => [path, files.read(path)?.toString() ?? null]));
}

/**
 * Lists everything below a directory except the objects. Objects may differ: those that a killed process left behind do
 * no harm.
 */
function allFiles(root: string): string[] {
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !name.includes('objects/'));
}

/**
 * Kills the process that makes a scene's commit at one of its calls, then checks that the commit has happened
 * completely or not at all.
 */
async function killedAt(scene: string, template: string, call: number, half: boolean): Promise<'killed' | 'done'> {
  const root = temporaryRoot();
  cpSync(template, root, { recursive: true });
  const env = { DEV_CLI_KILL_AT: String(call), DEV_CLI_KILL_HALF: half ? '1' : '0' };
  const { signal, code, out } = await finished(startWorker(root, 'scene', scene, env));
  const where = `${scene}, call ${call}${half ? ', half' : ''}`;
  expect(signal === 'SIGKILL' || code === 0, `${where}: ended with ${code}`).toBe(true);

  const { before, documents: expected, active, guard } = SCENES[scene] as (typeof SCENES)[string];
  const store = openStore(root);
  const seen = await store.read('run');
  const happened = (seen.snapshot?.count ?? 0) - before.length;
  expect([0, 1], where).toContain(happened);
  if (out.includes('acknowledged')) expect(happened, `${where}: acknowledged`).toBe(1);
  const wanted = expected[happened] ?? {};
  expect(await documents(store, Object.keys(wanted)), `${where}: read`).toEqual(wanted);

  const notices = await store.transact('run', (head) => ({ answer: head.notices }));
  expect(
    notices.filter((notice) => !notice.includes('torn')),
    where,
  ).toEqual([]);
  expect(await store.unfinished('run'), where).toBe(false);
  expect((await store.replay('run')).equal, `${where}: replay`).toBe(true);
  expect(await documents(store, Object.keys(wanted)), `${where}: mended`).toEqual(wanted);
  expect(await store.active(), `${where}: active`).toBe(active[happened]);

  const guarded = guard[happened] === 'ask';
  await store.transact('run', step({ marks: { guarded } }));
  expect((await store.read('run')).snapshot?.count, where).toBe(before.length + happened + 1);
  expect((await store.replay('run')).equal, `${where}: replay after going on`).toBe(true);
  const first = existsSync(join(root, '.dev/guard'))
    ? readFileSync(join(root, '.dev/guard'), 'utf8').split('\n')[0]
    : 'open';
  expect(first, `${where}: guard`).toBe(guard[happened]);
  expect(
    allFiles(root).filter((name) => /run\/lock$|aside/.test(name)),
    `${where}: left behind`,
  ).toEqual([]);
  return signal === 'SIGKILL' ? 'killed' : 'done';
}

/** Defines tests that kill a scene's commit at each call in turn. */
export function crashSuite(scene: string): void {
  describe(`a process killed in the ${scene} commit of a run`, () => {
    it.each([false, true])(
      'leaves the state before or after (half written: %s)',
      { timeout: 180_000 },
      async (half) => {
        const template = await prepared(scene);
        let calls = 0;
        for (let next = 1, done = false; !done; next += AT_ONCE) {
          const batch = Array.from({ length: AT_ONCE }, (_, i) => killedAt(scene, template, next + i, half));
          const ends = await Promise.all(batch);
          calls += ends.filter((end) => end === 'killed').length;
          done = ends.includes('done');
        }
        expect(calls).toBeGreaterThan(half ? 4 : 15);
      },
    );
  });
}
