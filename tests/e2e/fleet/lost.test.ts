import { rmSync } from 'node:fs';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createFleet, type Machine, type Started, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/** Machines that are lost with an attempt on them (fleet.md, Leases, loss). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const workers: Started[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill('SIGKILL');
    await worker.ended;
  }
});
const work = (machine: Machine): Started => {
  const started = fleet.start(machine, 'fleet', 'worker');
  workers.push(started);
  return started;
};

/** Opens a project of one goal, whose first session takes long and whose second returns at once. */
function open(project: string, seconds: number) {
  const desk = fleet.addProject(project, {
    goals: '  - { id: one, title: "Write one", status: active }\n',
    sessions: { one: [{ sleep: seconds, write: { 'one.txt': 'first\n' } }, { write: { 'one.txt': 'second\n' } }] },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  return desk;
}

type Desk = ReturnType<typeof open>;

const waitForSession = (desk: Desk): Promise<string> =>
  until('a session is under way', async () => {
    const { attempts } = await fleet.readState(desk);
    return fleet.listSessions(desk).length > 0 && attempts['one#1']?.state === 'session' && attempts['one#1'].claim;
  });

const classify = async (desk: Desk): Promise<string[]> => {
  const { json } = fleet.call(desk, 'attempt', 'list', '--json');
  return json.attempts.map(({ id, classification }: Record<string, string>) => `${id} ${classification}`).sort();
};

it('goes on elsewhere without a worker that is killed in a session, even where its disk is gone', async () => {
  const desk = open('killed', 60);
  const [first, second] = [fleet.addMachine('killed-1'), fleet.addMachine('killed-2')];
  const worker = work(first);
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await waitForSession(desk);
  worker.kill('SIGKILL');
  await worker.ended;
  rmSync(first.state, { recursive: true, force: true });
  work(second);
  const { exit } = await auto.ended;
  expect({ exit, told: auto.told() }).toMatchObject({ exit: 0 });
  expect(await classify(desk)).toEqual(['one#1 interrupted', 'one#2 complete']);
  expect(fleet.listDone(desk)).toEqual(['one']);
  // The machine returns without its files, and works like any other.
  work(first);
  await until('it is there again', async () => (await fleet.ask('SELECT FROM dev_cli.workers')).length === 2);
});

it('lets nothing count that a worker says which stood still past its lease', async () => {
  const desk = open('paused', 2);
  const [first, second] = [fleet.addMachine('paused-1'), fleet.addMachine('paused-2')];
  const paused = work(first);
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  const claim = await waitForSession(desk);
  paused.kill('SIGSTOP');
  work(second);
  await until('its lease is closed', async () => {
    const { leases } = await fleet.readState(desk);
    return leases.find(({ id }) => id === claim)?.status === 'expired';
  });
  // While the worker stood still, its session ended, so only the lost lease keeps it from continuing the attempt.
  paused.kill('SIGCONT');
  const { exit } = await auto.ended;
  expect({ exit, told: auto.told() }).toMatchObject({ exit: 0 });
  expect(await classify(desk)).toEqual(['one#1 interrupted', 'one#2 complete']);
  expect(fleet.listDone(desk)).toEqual(['one']);
  await until('it has nothing at work, and beats', async () => {
    const { leases } = await fleet.readState(desk);
    const [row] = await fleet.ask(
      "SELECT clock_timestamp() - beat < '3 s' AS beats FROM dev_cli.workers WHERE worker = 'paused-1'",
    );
    return row?.beats && leases.every(({ status }) => status !== 'active');
  });
  expect(fleet.listDone(desk)).toEqual(['one']);
});

it('begins anew at once where its process was killed, and refuses a second one of its name', async () => {
  const desk = open('anew', 0);
  const machine = fleet.addMachine('anew-1');
  const worker = work(machine);
  await until(
    'it is there',
    async () => (await fleet.ask("SELECT FROM dev_cli.workers WHERE worker = 'anew-1'")).length === 1,
  );
  const twin = fleet.call(machine, 'fleet', 'worker', '--once', '--json');
  expect({ exit: twin.exit, code: twin.json.error.code }).toEqual({ exit: 4, code: 'LOCKED' });
  worker.kill('SIGKILL');
  await worker.ended;
  expect(fleet.call(machine, 'fleet', 'worker', '--once').exit).toBe(0);
  expect(fleet.listDone(desk)).toEqual([]);
});
