import { execFileSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { startServer } from '../../support/postgres-server.mjs';

/** Outages of the database, and loss of the engine's tables (fleet.md, Leases, loss). */

const server = await startServer();
const fleet = createFleet({ url: server.url, lease: 8 });
afterAll(async () => {
  await fleet.end();
  await server.stop();
});

it('is waited for by desk and workers; a session that it outlasts not is kept', async () => {
  const goals = ['one', 'two'].map((id) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`);
  const session = (id: string) => [{ sleep: 3, write: { [`${id}.txt`]: `${id}\n` } }];
  const desk = fleet.addProject('outage', {
    goals: goals.join(''),
    sessions: { one: session('one'), two: session('two') },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('first'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('both sessions are under way', () => fleet.listSessions(desk).length === 2);
  await server.kill();
  await until('the worker says so', () => worker.told().includes('cannot be reached'));
  await server.start();
  const { exit } = await auto.ended;
  expect({ exit, told: auto.told() }).toMatchObject({ exit: 0 });
  expect(fleet.listDone(desk).sort()).toEqual(['one', 'two']);
  expect(fleet.listSessions(desk).sort()).toEqual(['one', 'two']);
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
});

it('holds no truth in the tables of the engine', async () => {
  const desk = fleet.addProject('dropped', {
    goals: '  - { id: one, title: "Write one", status: active }\n',
    sessions: { one: [{ sleep: 2, write: { 'one.txt': 'one\n' } }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('second'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('a session is under way', () => fleet.listSessions(desk).length === 1);
  await fleet.ask('DROP SCHEMA dbos CASCADE');
  await until('the worker says so', () => worker.told().includes('The schema dbos'));
  expect(fleet.listDone(desk)).toEqual([]);
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const { exit } = await auto.ended;
  expect({ exit, told: auto.told() }).toMatchObject({ exit: 0 });
  expect(fleet.listDone(desk)).toEqual(['one']);
  // The session's work was kept and not done again.
  expect(fleet.listSessions(desk)).toEqual(['one']);
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
});

it('keeps nobody from ending at a signal, with all that runs', async () => {
  const desk = fleet.addProject('told', {
    goals: '  - { id: one, title: "Write one", status: active }\n',
    sessions: { one: [{ sleep: 3_600 }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const machine = fleet.addMachine('third');
  const worker = fleet.start(machine, 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('a session is under way', () => fleet.listSessions(desk).length === 1);
  await server.kill();
  for (const one of [worker, auto]) one.kill();
  // The server starts only after they have ended, so neither has waited for it.
  const ended = await Promise.all([worker.ended, auto.ended]);
  await server.start();
  expect(ended.map(({ exit }) => exit)).toEqual([130, 130]);
  expect(execFileSync('ps', ['-e', '-o', 'args'], { encoding: 'utf8' })).not.toContain(desk.script);
});
