// What a fleet gains on work that takes minutes: four workers against one, a killed worker, pushes of one shared
// branch. Runs only if its sections are named (bench/run.mjs).
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createFleet, until } from '../tests/support/fleet.mjs';
import { makeDatabase, startServer } from '../tests/support/postgres-server.mjs';
import { ratio } from './measure.mjs';

const GOALS = 24;
/** How long each agent session takes, in seconds. */
const SESSION = 10;
/** Seconds without a heartbeat after which a worker counts as lost. */
const LEASE = 15;
const KILLS = 3;
const BRANCH = 'refs/heads/main';

/** Compares four machines with one on the same goals; each has one slot. */
export async function fleetOfFour() {
  const night = (names) => (fleet) => timeNight(fleet, { names, slots: 1, session: { sleep: SESSION } });
  const four = await withFleet({}, night(['m1', 'm2', 'm3', 'm4']));
  const one = await withFleet({}, night(['m1']));
  return {
    title: `${GOALS} goals with sessions of ${SESSION} s, workers of one slot`,
    rows: [ratio('by four workers, against one', 1 / 3, four, one)],
  };
}

/** Measures the time from a worker's kill during a session until the session starts again on another machine. */
export async function fleetLoss() {
  const times = [];
  for (let kill = 0; kill < KILLS; kill += 1) times.push(await withFleet({ lease: LEASE }, timeLoss));
  return {
    title: `A worker is killed in a session, ${KILLS} times, with a lease of ${LEASE} s`,
    rows: [
      ['seconds until the session begins anew, at best', '', Math.min(...times), { unit: ' s' }],
      ['the same at worst, of lease and 15 s', LEASE + 15, Math.max(...times), { unit: ' s' }],
    ],
  };
}

/** Counts the pushes of the branch per goal: all, and failed ones. */
export async function fleetPushes() {
  const { tried, moved } = await withFleet({}, async (fleet) => {
    const desk = addGoals(fleet, {});
    expectDone(fleet.call(desk, 'fleet', 'init'));
    const machines = ['m1', 'm2'].map((name) => fleet.addMachine(name, { slots: 4 }));
    const log = countPushes(fleet, machines);
    await runNight(fleet, desk, machines);
    const pushes = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith(`:${BRANCH}`));
    return { tried: pushes.length / GOALS, moved: fleet.listDone(desk).length / GOALS };
  });
  return {
    title: `${GOALS} goals by two workers of four slots, onto one branch`,
    rows: [['pushes of the branch', 1, tried, { unit: ' a goal', floor: `${moved.toFixed(2)} commits a goal` }]],
  };
}

async function withFleet(options, work) {
  const server = await startServer({ durable: true });
  const fleet = createFleet({ url: await makeDatabase(server.url, 'night'), lease: 60, ...options });
  try {
    return await work(fleet);
  } finally {
    await fleet.end();
    await server.stop();
  }
}

/** Adds a project whose goals each only write a file. */
function addGoals(fleet, session, count = GOALS) {
  const ids = Array.from({ length: count }, (_, at) => `g${at}`);
  return fleet.addProject('night', {
    goals: ids.map((id) => `  - { id: ${id}, title: "Goal ${id}", status: active }\n`).join(''),
    sessions: Object.fromEntries(ids.map((id) => [id, [{ write: { [`${id}.txt`]: `${id}\n` }, ...session }]])),
  });
}

/** @returns {Promise<number>} how long the machines take for all goals, in milliseconds */
async function timeNight(fleet, { names, slots, session }) {
  const desk = addGoals(fleet, session);
  expectDone(fleet.call(desk, 'fleet', 'init'));
  return runNight(
    fleet,
    desk,
    names.map((name) => fleet.addMachine(name, { slots })),
  );
}

/**
 * Starts the workers, then `auto --fleet` in the clone with the goals (the desk).
 * @returns {Promise<number>} milliseconds that `auto` took
 */
async function runNight(fleet, desk, machines) {
  const workers = await startAll(fleet, machines);
  const begun = performance.now();
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  const { exit } = await auto.ended;
  expectDone({ exit, stderr: auto.told() });
  const took = performance.now() - begun;
  for (const worker of workers) worker.kill();
  await Promise.all(workers.map(({ ended }) => ended));
  return took;
}

async function startAll(fleet, machines) {
  const workers = machines.map((machine) => fleet.start(machine, 'fleet', 'worker'));
  await until('all are at work', () => workers.every((one) => one.told().includes('at work for')), 60);
  return workers;
}

/** @returns {Promise<number>} seconds from the kill until the session begins anew on the other machine */
async function timeLoss(fleet) {
  // The killed worker's session runs on and ends; nobody reads its result.
  const desk = addGoals(fleet, { sleep: LEASE }, 1);
  expectDone(fleet.call(desk, 'fleet', 'init'));
  const names = ['m1', 'm2'];
  const workers = await startAll(
    fleet,
    names.map((name) => fleet.addMachine(name, { slots: 1 })),
  );
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('the session begins', () => fleet.listSessions(desk).length === 1);
  const { leases } = await fleet.readState(desk);
  workers[names.indexOf(leases.find(({ status }) => status === 'active').worker)].kill('SIGKILL');
  const killed = performance.now();
  await until('it begins anew', () => fleet.listSessions(desk).length === 2, LEASE + 60);
  const took = (performance.now() - killed) / 1000;
  const { exit } = await auto.ended;
  expectDone({ exit, stderr: auto.told() });
  return took;
}

/** Makes each machine's git record its pushes. @returns {string} the file with the records */
function countPushes(fleet, machines) {
  const bin = join(fleet.base, 'counted');
  const log = join(bin, 'pushes');
  mkdirSync(bin);
  writeFileSync(log, '');
  const script = `#!/bin/sh\ncase " $* " in *" push "*) for last; do :; done; echo "$last" >>'${log}' ;; esac\nPATH="\${PATH#*${delimiter}}" exec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  for (const { env } of machines) env['PATH'] = `${bin}${delimiter}${env['PATH']}`;
  return log;
}

function expectDone({ exit, stderr }) {
  if (exit !== 0) throw new Error(stderr);
}
