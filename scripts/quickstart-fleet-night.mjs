// The night of `quickstart fleet`: the losses of machines, database and desk, each while there is work.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../tests/support/fleet.mjs';
import { ADDED, DONE, dawnOf } from './quickstart-fleet-goals.mjs';
import { check, say } from './quickstart-stage.mjs';

/** Milliseconds for which the database is away. */
const OUTAGE = 10_000;
/** Seconds to wait for an expected event. */
const PATIENCE = 240;

/**
 * The parties of the night.
 * @typedef {object} Stage
 * @property {ReturnType<typeof import('../tests/support/fleet.mjs').createFleet>} fleet
 * @property {{ stop: () => Promise<void>, start: () => Promise<void>, how: string }} database
 * @property {object} api the desk of the project `api`; there is also `notes`, the desk of the other project
 * @property {object[]} machines
 * @property {object | null} next a machine with the next version of dev-cli
 * @property {Map<string, object>} workers the running workers, by the name of the machine
 * @property {Map<string, object>} desks the running `auto` processes of the desks, by project
 * @property {{ claims: object[] }[]} lost for each machine that was lost, the claims that it held
 */

/** @param {Stage} stage */
export async function playNight(stage) {
  const { api, notes, machines, fleet } = stage;
  for (const machine of machines) work(stage, machine);
  for (const desk of [api, notes]) open(stage, desk);
  const killed = await killInSession(stage);
  await pausePastLease(stage);
  await loseDisk(stage);
  work(stage, killed);
  await joinByNext(stage);
  await stopDatabase(stage);
  await killDesk(stage, notes);
  await dropEngine(stage);
  writeFileSync(dawnOf(fleet.base), '');
  await waitForDesk(stage, api, 1, 'one goal waits for a person');
  await waitForDesk(stage, notes, null);
}

/** Starts a worker. */
function work({ fleet, workers }, machine) {
  say(`  ${machine.name} $ dev-cli fleet worker &${machine.binary === undefined ? '' : '   (of the next version)'}`);
  workers.set(machine.name, fleet.start(machine, 'fleet', 'worker'));
}

/** Starts a desk. */
export function open({ fleet, desks }, desk) {
  say(`  ${desk.name} $ dev-cli auto --recursive --fleet &`);
  desks.set(desk.project, fleet.start(desk, 'auto', '--recursive', '--fleet', '--json'));
}

/** Prints and makes a call, which has to succeed. */
export function told({ fleet }, place, ...args) {
  say(`  ${place.name} $ dev-cli ${args.join(' ')}`);
  const { exit, stdout, stderr } = fleet.call(place, ...args);
  for (const line of stdout.trim().split('\n').slice(0, 12)) say(`    ${line}`);
  if (exit !== 0) check(`exit ${exit} ${stdout}${stderr}`, 'exit 0', `dev-cli ${args[0]} ${args[1] ?? ''} goes well`);
  return stdout;
}

/** Prints how many goals are left; there have to be some. */
function checkThatWorkIsLeft({ fleet, api, notes }, when) {
  const left = [api, notes].map((desk) => DONE[desk.project].length - fleet.listDone(desk).length);
  check(left[0] > 0 && left[1] > 0, true, `${when}: ${left[0]} and ${left[1]} goals are left`);
}

/**
 * Waits until a running machine is in a session and has neither of the goals in `ADDED`, which are to run into a merge
 * conflict undisturbed.
 * @returns the machine and its claims
 */
async function findAtWork({ fleet, api, notes, machines, workers }) {
  return until('a machine is in a session', look, PATIENCE);

  async function look() {
    const states = await Promise.all([fleet.readState(api), fleet.readState(notes)]);
    for (const machine of machines.filter(({ name }) => workers.has(name))) {
      const claims = states.flatMap(({ attempts, leases }) =>
        leases
          .filter(({ worker, status }) => worker === machine.name && status === 'active')
          .map((lease) => {
            const [id, attempt] = Object.entries(attempts).find(([, { claim }]) => claim === lease.id) ?? [];
            return { ...lease, attempt: id, state: attempt?.state };
          }),
      );
      const isFree = claims.every(({ goal }) => !Object.hasOwn(ADDED, goal));
      if (isFree && claims.some(({ state }) => state === 'session')) return { machine, claims };
    }
    return null;
  }
}

const list = (claims) =>
  claims.map(({ attempt, goal, state }) => `${attempt ?? goal}${state ? ` (${state})` : ''}`).join(', ');

/** Waits until other machines have taken over all, or some, of these goals. @returns the goals taken over */
function waitForOthers({ fleet }, claims, areAll) {
  return until(
    'others take over',
    async () => {
      const rows = await fleet.ask(
        `SELECT DISTINCT l.goal FROM dev_cli.leases l JOIN dev_cli.leases o
           ON o.project = l.project AND o.goal = l.goal AND o.created > l.created AND o.worker <> l.worker
         WHERE l.id = ANY($1)`,
        [claims.map(({ id }) => id)],
      );
      return rows.length >= (areAll ? claims.length : 1) ? rows.map(({ goal }) => goal) : null;
    },
    PATIENCE,
  );
}

async function killInSession(stage) {
  const { machine, claims } = await findAtWork(stage);
  const worker = stage.workers.get(machine.name);
  worker.kill('SIGKILL');
  const begun = performance.now();
  await worker.ended;
  stage.workers.delete(machine.name);
  say(`  ${machine.name} is killed with ${list(claims)}`);
  check(worker.child.signalCode, 'SIGKILL', `${machine.name} was killed without warning`);
  const inSession = claims.filter(({ state }) => state === 'session');
  const goals = await waitForOthers(stage, inSession, true);
  say(`    others have ${goals.join(', ')} ${Math.round((performance.now() - begun) / 1000)} s later`);
  stage.lost.push({ claims });
  return machine;
}

async function pausePastLease(stage) {
  const { machine, claims } = await findAtWork(stage);
  const worker = stage.workers.get(machine.name);
  worker.kill('SIGSTOP');
  say(`  ${machine.name} is paused with ${list(claims)}`);
  const goals = await waitForOthers(stage, claims, false);
  worker.kill('SIGCONT');
  say(`    its lease has expired; it continues, but its results for ${goals.join(', ')} are refused`);
  stage.lost.push({ claims: claims.filter(({ goal }) => goals.includes(goal)) });
  stage.paused = { machine, since: new Date() };
}

async function loseDisk(stage) {
  const { machine, claims } = await findAtWork(stage);
  const worker = stage.workers.get(machine.name);
  worker.kill('SIGKILL');
  await worker.ended;
  const clones = join(machine.state, 'dev-cli/fleet', machine.name);
  const listClones = () => readdirSync(clones).filter((name) => !name.startsWith('.') && !name.endsWith('.new'));
  const had = listClones();
  rmSync(machine.state, { recursive: true, force: true, maxRetries: 3 });
  say(`  ${machine.name} is killed with ${list(claims)}, and its disk is lost`);
  work(stage, machine);
  await waitForWorker(stage, machine);
  await until(`${machine.name} clones`, () => existsSync(clones) && listClones().length === had.length, PATIENCE);
  check(listClones().sort(), had.sort(), `${machine.name} has cloned ${had.sort().join(' and ')} again`);
}

const waitForWorker = ({ workers }, { name }) =>
  until(`${name} is at work`, () => workers.get(name).told().includes('at work for'), PATIENCE);

async function joinByNext(stage) {
  const { fleet, next, api, machines } = stage;
  if (next === null)
    return say('  no worker of the next version joins: it is made of the sources, in a clone of dev-cli');
  work(stage, next);
  machines.push(next);
  await waitForWorker(stage, next);
  told(stage, api, 'fleet', 'list');
  const { workers } = fleet.call(api, 'fleet', 'list', '--json').json;
  const steps = new Map(workers.map(({ worker, version }) => [worker, version]));
  const others = machines.filter((one) => one !== next).map(({ name }) => steps.get(name));
  check(
    new Set(others).size === 1 && steps.get(next.name) === others[0] + 1,
    true,
    `${next.name} has another version of the steps`,
  );
}

async function stopDatabase(stage) {
  const { database, workers, fleet, api, notes } = stage;
  const before = (await Promise.all([fleet.readState(api), fleet.readState(notes)])).map(({ seq }) => seq);
  checkThatWorkIsLeft(stage, `the database ${database.how}`);
  await database.stop();
  const refused = await fleet.ask('SELECT 1').then(
    () => 'it answers',
    () => 'away',
  );
  check(refused, 'away', 'nobody reaches it');
  await sleep(OUTAGE);
  await database.start();
  say(`    and is back after ${OUTAGE / 1000} s`);
  const after = await Promise.all([fleet.readState(api), fleet.readState(notes)]);
  check(
    after.every(({ seq }, at) => seq >= before[at]),
    true,
    'no entry is missing',
  );
  const ended = [...workers].filter(([, { child }]) => child.exitCode !== null).map(([name]) => name);
  check(ended, [], 'no worker has ended for it');
  const listAlive = () => fleet.ask("SELECT FROM dev_cli.workers WHERE beat > now() - interval '3 seconds'");
  await until('all are heard of', async () => (await listAlive()).length === workers.size, PATIENCE);
}

async function killDesk(stage, desk) {
  const { fleet, desks } = stage;
  const isCarried = ({ state }) => !['settling', 'parked', 'unmoved'].includes(state);
  const listOpen = async () => Object.entries((await fleet.readState(desk)).attempts);
  const [id] = await until(
    'a goal is at work',
    async () => (await listOpen()).find(([, one]) => isCarried(one)),
    PATIENCE,
  );
  desks.get(desk.project).kill('SIGKILL');
  await desks.get(desk.project).ended;
  say(`  the desk of ${desk.name} is killed with ${id} and others at work`);
  open(stage, desk);
}

/**
 * Drops the workflow engine's tables and creates them anew, empty. Nothing gets lost, because goals and attempts are
 * recorded elsewhere.
 */
async function dropEngine(stage) {
  const { fleet, api } = stage;
  await findAtWork(stage);
  checkThatWorkIsLeft(stage, 'the tables of the engine are dropped');
  // Retried, because the server may resolve a deadlock with a worker by aborting this statement.
  await until('they are dropped', async () => (await fleet.ask('DROP SCHEMA IF EXISTS dbos CASCADE')) !== null);
  told(stage, api, 'fleet', 'init');
  checkThatWorkIsLeft(stage, 'and made anew, empty');
}

/**
 * Waits for a desk to end, prints its goals, and checks its exit code.
 * @param {number | null} exit the expected code; null accepts both 0 and 1, because the desk may or may not have seen a
 * goal fail
 */
export async function waitForDesk({ desks }, desk, exit, why = 'no goal has failed') {
  const started = desks.get(desk.project);
  const { exit: found, stdout } = await started.ended;
  const answer = JSON.parse(stdout || '{}');
  say(`  the desk of ${desk.name} ends`);
  for (const { id, classification, action_taken: action, reason } of answer.goals_processed ?? [])
    say(`    ${id}: ${classification} -> ${action}${reason ? `: ${reason}` : ''}`);
  for (const error of answer.errors ?? []) say(`    ${error}`);
  const failed = answer.error ? `${answer.error.code}: ${answer.error.message}` : started.told().slice(-300);
  const isRight =
    answer.ok !== undefined && !answer.error && (exit === null ? found === 0 || found === 1 : found === exit);
  check(
    isRight ? true : `exit ${found} ${failed}`,
    true,
    `${desk.name}: exit ${exit ?? '0 or 1'}${exit === null ? '' : `, ${why}`}`,
  );
}
