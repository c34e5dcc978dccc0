import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { createFleet, type Machine, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/** Machines whose clocks are wrong: only the database's clock decides when a lease is over (fleet.md, Leases, loss). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const CLOCK = fileURLToPath(new URL('../../support/fast-clock.cjs', import.meta.url));
const HOUR = 3_600_000;

/** Sets a machine's clock an hour off, and makes it run a thousandth faster or slower. */
function putOff(machine: Machine, hours: 1 | -1): Machine {
  const env = {
    ...{ NODE_OPTIONS: `--require ${CLOCK}`, DEV_CLI_TEST_CLOCK: String(1 + hours / 1_000) },
    DEV_CLI_TEST_CLOCK_FROM: String(Date.now() - 1_000 * HOUR),
  };
  return { ...machine, env: { ...machine.env, ...env } };
}

const goal = (id: string, more = '') => `  - { id: ${id}, title: "Write ${id}", status: active${more} }\n`;
const page = (id: string, sleep = 0) => [{ sleep, write: { [`${id}.txt`]: `${id}\n` } }];

it('neither take what others have, nor keep what they have lost', async () => {
  const desk = fleet.addProject('clocks', {
    goals: goal('one') + goal('two') + goal('three', ', depends_on: [one]'),
    sessions: { one: page('one', 8), two: page('two', 8), three: page('three') },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const [early, late] = [fleet.addMachine('early', { slots: 1 }), fleet.addMachine('late', { slots: 1 })];
  const first = fleet.start(putOff(early, 1), 'fleet', 'worker');
  const second = fleet.start(putOff(late, -1), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('each has a session', () => fleet.listSessions(desk).length === 2);
  // The sessions last longer than a lease, so each worker renews its own lease and leaves the other's attempt alone.
  await until('both are kept', async () => {
    const { attempts } = await fleet.readState(desk);
    return ['one#1', 'two#1'].every((id) => attempts[id] === undefined || attempts[id].facts !== null);
  });
  expect(fleet.listSessions(desk).sort()).toEqual(['one', 'two']);
  second.kill('SIGKILL');
  await second.ended;
  const { exit, stdout } = await auto.ended;
  expect({ exit, stdout }).toMatchObject({ exit: 0 });
  expect(fleet.listDone(desk).sort()).toEqual(['one', 'three', 'two']);
  first.kill();
  await first.ended;
});

it('wait at `--once` for what somebody has lost', async () => {
  const desk = fleet.addProject('late', { goals: goal('one'), sessions: { one: page('one', 60) } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const gone = fleet.start(fleet.addMachine('gone'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('it has a session', () => fleet.listSessions(desk).length === 1);
  for (const one of [auto, gone]) {
    one.kill('SIGKILL');
    await one.ended;
  }
  await until('its lease is past its time', async () => {
    const late = "SELECT FROM dev_cli.leases WHERE project = 'late' AND expires < clock_timestamp()";
    return (await fleet.ask(late)).length === 1;
  });
  const { exit, json } = fleet.call(putOff(fleet.addMachine('slow'), -1), 'fleet', 'worker', '--once', '--json');
  expect({ exit, carried: json.carried }).toEqual({ exit: 0, carried: 1 });
});
