import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

// The engine holds no truth (fleet.md, Three truths): its schema is dropped while a session is at work.

const fleet = createFleet({ url: await createDatabase(), lease: 6 });
afterAll(() => fleet.end());

it('a worker says how the schema is made again, and then goes on with the same attempt', async () => {
  const desk = fleet.addProject('api', {
    goals: '  - { id: one, title: Write one, status: active }\n',
    sessions: { one: [{ sleep: 3, write: { 'one.txt': '1\n' } }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('first'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--fleet', '--recursive', '--json');
  await until('the session is at work', () => fleet.listSessions(desk).length === 1);
  await fleet.ask('DROP SCHEMA dbos CASCADE');
  await until('the worker says so', () => worker.told().includes('one#1: The schema dbos'));
  const { attempts, leases } = await fleet.readState(desk);
  expect(Object.keys(attempts)).toEqual(['one#1']);
  expect(leases.filter(({ status }) => status === 'active')).toEqual([]);
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  expect((await auto.ended).exit).toBe(0);
  expect([fleet.listDone(desk), fleet.listSessions(desk).length]).toEqual([['one'], 1]);
  const kept = [...fleet.listRefs(desk).keys()].filter((name) => name.startsWith('refs/dev-cli/attempts/'));
  expect(kept).toEqual(['refs/dev-cli/attempts/one/1']);
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
});
