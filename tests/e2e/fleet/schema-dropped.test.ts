import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

// The engine holds no truth (fleet.md, Three truths): its schema goes while a session is at work.

const fleet = createFleet({ url: await createDatabase(), lease: 6 });
afterAll(() => fleet.end());

it('a worker says how the schema is made again and ends; started anew, it goes on with the same attempt', async () => {
  const desk = fleet.addProject('api', {
    goals: '  - { id: one, title: Write one, status: active }\n',
    sessions: { one: [{ sleep: 3, write: { 'one.txt': '1\n' } }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const machine = fleet.addMachine('first');
  const worker = fleet.start(machine, 'fleet', 'worker', '--json');
  const auto = fleet.start(desk, 'auto', '--fleet', '--recursive', '--json');
  await until('the session is at work', () => fleet.listSessions(desk).length === 1);
  await fleet.ask('DROP SCHEMA dbos CASCADE');
  const { exit, stdout } = await worker.ended;
  expect([exit, JSON.parse(stdout).error]).toMatchObject([3, { code: 'FLEET_VERSION', fix: 'dev-cli fleet init' }]);
  const { attempts, leases } = await fleet.readState(desk);
  expect(Object.keys(attempts)).toEqual(['one#1']);
  expect(leases.filter(({ status }) => status === 'active')).toEqual([]);
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  fleet.start(machine, 'fleet', 'worker');
  expect((await auto.ended).exit).toBe(0);
  expect([fleet.listDone(desk), fleet.listSessions(desk).length]).toEqual([['one'], 1]);
  expect([...fleet.listRefs(desk).keys()].filter((name) => name.includes('attempts'))).toEqual([
    'refs/dev-cli/attempts/one/1',
  ]);
});
