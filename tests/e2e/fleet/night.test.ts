import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { replayJournal } from '../../support/journal-reader.mjs';
import { createDatabase } from '../../support/postgres.js';

/** A night of a fleet: a desk, two workers, each with a clone of its own (fleet.md, An attempt). */

const fleet = createFleet({ url: await createDatabase(), lease: 6 });
afterAll(() => fleet.end());

const add = (id: string, more = ''): string => `  - { id: ${id}, title: "Write ${id}", status: active${more} }\n`;
const page = (id: string) => ({ write: { [`${id}.txt`]: `${id}\n` } });

it('works goals off in order, settles a conflict by a second attempt, and keeps what is out of scope', async () => {
  const line = (text: string) => ({ sleep: 1, write: { 'line.txt': `${text}\n` } });
  const desk = fleet.addProject('night', {
    goals: [
      ...[add('one'), add('two', ', depends_on: [one]'), add('left'), add('right')],
      add('far', ', allowed_changes: ["docs/**"], max_retries: 1'),
    ].join(''),
    sessions: {
      one: [{ ...page('one'), run: 'git add one.txt && git commit --quiet --message="of my own"' }],
      two: [{ run: 'test -e one.txt && echo two >two.txt' }],
      ...{ left: [line('left')], right: [line('right')], far: [page('elsewhere')] },
    },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const [first, second] = [fleet.addMachine('first', { slots: 1 }), fleet.addMachine('second')];
  const workers = [fleet.start(first, 'fleet', 'worker'), fleet.start(second, 'fleet', 'worker')];
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  const { exit, stdout } = await auto.ended;
  const batch = JSON.parse(stdout);
  expect({ exit, told: auto.told(), batch }).toMatchObject({ exit: 1 });
  const outcomes = Object.fromEntries(
    batch.goals_processed.map((one: { id: string; classification: string }) => [one.id, one.classification]),
  );
  expect(outcomes).toMatchObject({ one: 'complete', two: 'complete', far: 'failed' });
  const done = fleet.listDone(desk);
  expect([...done].sort()).toEqual(['left', 'one', 'right', 'two']);
  expect(done.indexOf('one')).toBeLessThan(done.indexOf('two'));
  const { attempts, leases } = await fleet.readState(desk);
  expect(attempts).toEqual({});
  expect(leases.filter(({ status }) => status === 'active')).toEqual([]);
  const directory = join(fleet.base, 'stream');
  expect(fleet.call(desk, 'fleet', 'export', directory).exit).toBe(0);
  expect(replayJournal(directory)).toEqual([]);
  // Pruning also removes old, settled attempts from the remote; the failed attempt at `far` stays.
  expect(fleet.listRefs(desk).has('refs/dev-cli/heads/one/1')).toBe(true);
  expect(fleet.call(desk, 'attempt', 'prune', '--days', '0').exit).toBe(0);
  expect([...fleet.listRefs(desk).keys()]).toEqual(['refs/dev-cli/attempts/far/1', 'refs/heads/main']);
  for (const worker of workers) worker.kill();
  expect((await Promise.all(workers.map(({ ended }) => ended))).map((one) => one.exit)).toEqual([130, 130]);
  await until('the rows of the workers go', async () => (await fleet.ask('SELECT FROM dev_cli.workers')).length === 0);
});
