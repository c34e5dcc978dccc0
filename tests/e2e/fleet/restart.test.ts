import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { startServer } from '../../support/postgres-server.mjs';

/**
 * A step that is cut off because its worker is told to end, or loses the database, does not count against the attempt
 * or its tool (fleet.md, Leases, loss).
 */

const server = await startServer();
const fleet = createFleet({ url: server.url, lease: 5 });
afterAll(async () => {
  await fleet.end();
  await server.stop();
});

/** Opens a project of one goal, starts its desk and a worker, and waits until the attempt's step `state` has begun. */
async function openAt(project: string, state: string, about: { config: string; sleep?: number }) {
  const desk = fleet.addProject(project, {
    config: about.config,
    goals: '  - { id: one, title: "Write one", status: active }\n',
    sessions: { one: [{ sleep: about.sleep ?? 0, write: { 'one.txt': 'one\n' } }, { write: { 'one.txt': 'one\n' } }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const machine = fleet.addMachine(`${project}-1`);
  const worker = fleet.start(machine, 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until(`it is at ${state}`, () => [...fleet.listSessions(desk), ...readMarks(project)].includes(state));
  const end = async () => {
    const { exit } = await auto.ended;
    expect({ exit, told: auto.told() }).toMatchObject({ exit: 0 });
    expect(fleet.listDone(desk)).toEqual(['one']);
    const { json } = fleet.call(desk, 'attempt', 'list', '--json');
    return json.attempts.map(({ classification }: { classification: string }) => classification);
  };
  return { desk, machine, worker, end };
}

const readMarks = (project: string): string[] => {
  const path = join(fleet.base, project, 'marks');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
};

/** Returns a command that records its start and takes a few seconds. */
const slow = (project: string, state: string) => `echo ${state} >>${fleet.base}/${project}/marks; sleep 3`;

it.each([
  ['preparing', 'test_command: "true"\nworktree_setup: ["LINE"]\n'],
  ['judging', 'test_command: "LINE"\n'],
])('runs again what a worker ended that was told to end while %s', async (state, config) => {
  const line = slow(`at-${state}`, state);
  const { machine, worker, end } = await openAt(`at-${state}`, state, { config: config.replace('LINE', line) });
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
  const again = fleet.start(machine, 'fleet', 'worker');
  expect(await end()).toEqual(['complete']);
  again.kill();
  expect((await again.ended).exit).toBe(130);
});

it('counts no session against its tool that it ended for want of a database', async () => {
  const config = 'test_command: "true"\n';
  const { desk, worker, end } = await openAt('cut', 'one', { config, sleep: 60 });
  await server.kill();
  await until('the session is ended', () => worker.told().split('cannot be reached').length > 8);
  await server.start();
  expect(await end()).toEqual(['interrupted', 'complete']);
  expect(fleet.listSessions(desk)).toEqual(['one', 'one']);
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
});
