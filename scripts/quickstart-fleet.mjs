// Two projects, worked on by four machines: `npm run quickstart -- fleet`, or `dev-cli demo fleet` if installed.
// Machines are lost on the way, and so are the database, the desk and the engine's tables. All of them run on this
// computer: each machine is just a home, a state directory and a clone of its own. A script plays the tool
// (tests/support/tool.mjs) and the person at the gate. PostgreSQL, git, the project's tests and every process of
// dev-cli are real.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandInError } from '../tests/support/agent.mjs';
import { createFleet } from '../tests/support/fleet.mjs';
import { replayJournal } from '../tests/support/journal-reader.mjs';
import { cutOff, makeDatabase, removeDatabase, startServer } from '../tests/support/postgres-server.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { findTerminal } from '../tests/support/terminal.mjs';
import { countByHand } from './quickstart-fleet-count.mjs';
import { ADDED, DONE, listProjects } from './quickstart-fleet-goals.mjs';
import { open, playNight, told, waitForDesk } from './quickstart-fleet-night.mjs';
import { check, failSoftly, heading, play, say } from './quickstart-stage.mjs';

/** Seconds without a heartbeat after which a machine counts as lost. */
const LEASE = 10;

/** Plays the whole demonstration. @returns {Promise<number>} the exit code */
export function playFleet() {
  const title =
    'dev-cli demo fleet: two projects, four machines, one database. The tool is played by a script; no model is called.';
  return play(title, async () => {
    const given = process.env['DEV_CLI_TEST_POSTGRES'];
    const database = given ? await openGiven(given) : await startOwn();
    const fleet = createFleet({ url: database.url, prefix: 'dev-cli-demo-fleet-', lease: LEASE });
    try {
      await playAll(fleet, database);
    } catch (error) {
      failSoftly(error);
    } finally {
      await fleet.end({ keep: true });
      await database.end();
    }
    return `cd ${fleet.base} && ls`;
  });
}

/**
 * Creates a database on the given server, which others may use and which is therefore never stopped. An outage is
 * played by refusing connections to the database.
 */
async function openGiven(url) {
  const name = `dev_cli_demo_${Date.now()}`;
  const own = await makeDatabase(url, name).catch(({ message }) => {
    throw new StandInError(`DEV_CLI_TEST_POSTGRES cannot be used: ${message}`);
  });
  return {
    ...{ url: own, how: 'is cut off, with all its connections' },
    stop: () => cutOff(url, name, true),
    start: () => cutOff(url, name, false),
    end: () => removeDatabase(url, name),
  };
}

/** Starts a PostgreSQL server for the demonstration. Only a clone of dev-cli has one, from npm. */
async function startOwn() {
  const server = await startServer().catch((error) => {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    throw new StandInError(
      'name a PostgreSQL to play on: DEV_CLI_TEST_POSTGRES=postgresql://USER:PASSWORD@HOST/DATABASE',
    );
  });
  return {
    url: server.url,
    how: 'is stopped, as by a cut of the power',
    stop: server.kill,
    start: server.start,
    end: server.stop,
  };
}

async function playAll(fleet, database) {
  heading('In the evening: 24 goals of two projects, and four machines');
  const stage = await begin(fleet, database);
  heading('The night');
  await playNight(stage);
  heading('In the morning');
  await answer(stage);
  for (const desk of [stage.api, stage.notes]) readMorning(stage, desk);
  lookAtGoals(stage);
  await endWorkers(stage);
}

async function begin(fleet, database) {
  const { api, notes } = listProjects(fleet.base);
  const desks = {
    api: { ...fleet.addProject('api', api), name: 'api' },
    notes: { ...fleet.addProject('notes', notes), name: 'notes' },
  };
  told({ fleet }, desks.api, 'fleet', 'init');
  const machines = ['ada', 'bob', 'cyd', 'dan'].map((name) => fleet.addMachine(name));
  const clone = { ...fleet.addClone(desks.api, 'anna'), name: 'anna' };
  const binary = await findNext();
  const next = binary === null ? null : { ...fleet.addMachine('eve'), binary };
  return { fleet, database, ...desks, machines, clone, next, workers: new Map(), desks: new Map(), lost: [] };
}

/** Builds the next version from the sources; null if dev-cli is installed, without them. */
async function findNext() {
  const there = existsSync(new URL('../tests/support/next-version.mjs', import.meta.url));
  return there ? (await import('../tests/support/next-version.mjs')).buildNext() : null;
}

/** Answers what waits for a person, in a person's clone and at a desk. */
async function answer(stage) {
  const { fleet, clone, api, notes } = stage;
  told(stage, clone, 'inbox', 'list');
  told(stage, clone, 'fleet', 'take', 'health');
  const terminal = findTerminal();
  if (terminal === null) throw new StandInError('no terminal can be played here');
  say('  anna $ dev-cli approve health-1 --choice integrate   (a person types yes)');
  const command = `'${process.execPath}' '${BINARY}' approve health-1 --choice integrate`;
  const { exit, output } = terminal(command, { cwd: clone.root, env: clone.env, answers: ['yes'], pause: 300 });
  check(exit === 0 ? 0 : `exit ${exit} ${output}`, 0, 'the gate is passed in a clone that is no worker’s');
  told(stage, clone, 'fleet', 'give', 'health');
  open(stage, api);
  await waitForDesk(stage, api, 0);
  const { items } = fleet.call(notes, 'inbox', 'list', '--json').json;
  const item = items.find(({ goal_id: id }) => id === 'stray');
  if (item === undefined) throw new StandInError(`nobody asks about stray: ${JSON.stringify(items)}`);
  told(stage, notes, 'inbox', 'act', item.inbox_id, '--action', 'reject', '--operator', 'anna');
  for (const desk of [api, notes]) {
    const { items: open } = fleet.call(desk, 'inbox', 'list', '--open-only', '--json').json;
    check(
      open.map(({ summary }) => summary),
      [],
      `${desk.name}: nothing waits for an answer`,
    );
  }
}

function readMorning(stage, desk) {
  const { fleet } = stage;
  const { name, project } = desk;
  const wanted = [...DONE[project]].sort();
  check(fleet.listDone(desk).sort(), wanted, `${name}: each of ${wanted.length} goals once on its branch`);
  const directory = join(fleet.base, `stream-${project}`);
  told(stage, desk, 'fleet', 'export', directory);
  check(replayJournal(directory), [], `${name}: the stream, written out and replayed, is the same`);
  const state = JSON.parse(readFileSync(join(directory, 'state.json'), 'utf8'));
  check(Object.keys(state.attempts), [], `${name}: no attempt is open`);
  const entries = readLines(join(directory, 'events.jsonl'));
  const events = entries.flatMap(({ data }) => data.events ?? []);
  const ids = (all) => [...new Set(all.map(({ event_id: id }) => id))].sort();
  const log = readLines(join(desk.root, '.ai/events/events.jsonl'));
  check(String(ids(log)) === String(ids(events)), true, `${name}: its log has what the stream says`);
  const { baseline } = fleet.call(desk, 'observe', 'baseline', '--json').json;
  const { baseline_ready: _, failing_guards: __, ...figures } = baseline;
  const counted = countByHand(events);
  const differing = Object.keys({ ...figures, ...counted }).filter((key) => figures[key] !== counted[key]);
  check(
    differing.map((key) => `${key} ${figures[key]} ${counted[key]}`),
    [],
    `${name}: the baseline is what a count by hand gives`,
  );
  Object.assign(desk, { entries, events });
}

/** Checks, from the streams, the events that had to occur during the night. */
function lookAtGoals(stage) {
  const { fleet, api, notes, clone, lost, paused } = stage;
  const all = [...api.events, ...notes.events];
  const expired = new Set(
    all.filter(({ event_type: type }) => type === 'queue_claim_expired').map(({ payload }) => payload.claim_id),
  );
  check(
    lost.flatMap(({ claims }) => claims).filter(({ id }) => !expired.has(id)),
    [],
    'each lost lease is reported as expired',
  );
  const later = all.filter(
    ({ event_type: type, timestamp, payload }) =>
      type === 'queue_claim_created' && payload.worker_id === paused.machine.name && new Date(timestamp) > paused.since,
  );
  check(later.length > 0, true, `${paused.machine.name} has claimed ${later.length} more since its pause`);
  const missed = api.entries
    .filter(({ data }) => data.classification === 'merge-fail')
    .map(({ data }) => data.id.split('#')[0]);
  check(
    missed.length > 0 && missed.every((id) => Object.hasOwn(ADDED, id)),
    true,
    `one line, two goals: ${[...new Set(missed)]} had to restart from the other's commit`,
  );
  const again = api.entries.filter(({ data }) => data.event === 'AGAIN' && data.id.startsWith('tour#'));
  check(again.length > 0, true, 'tour: its run went on in a second session');
  const { goals } = fleet.call(notes, 'observe', '--json').json;
  check(goals.find(({ id }) => id === 'stray')?.status, 'blocked', 'stray: no commit, and answered for by a person');
  const git = (...args) => spawnSync('git', args, { cwd: clone.root, env: clone.env, encoding: 'utf8' });
  check(git('pull', '--quiet').status, 0, 'anna pulls');
  const readme = readFileSync(join(clone.root, 'README.md'), 'utf8');
  check(
    Object.values(ADDED).filter((text) => !readme.includes(text)),
    [],
    'the line has what both have added',
  );
  const tests = spawnSync('npm', ['test'], { cwd: clone.root, env: clone.env, encoding: 'utf8' });
  check(tests.status === 0 ? 0 : tests.stdout.slice(-400), 0, 'the tests of the branch pass');
  const lies = ({ remote }, path) =>
    spawnSync('git', ['cat-file', '-e', `main:${path}`], { cwd: remote, env: clone.env }).status === 0;
  check(
    [lies(api, 'docs/limits.md'), lies(api, 'package-lock.json'), lies(notes, 'elsewhere.md')],
    [true, false, false],
    'nothing out of scope is on a branch',
  );
}

/** Ends the workers by a signal. */
async function endWorkers({ fleet, workers, machines, api }) {
  for (const { name, binary } of machines) {
    workers.get(name).kill();
    const { exit, stdout } = await workers.get(name).ended;
    check(exit, 130, `${name} ends when it is told to`);
    if (binary !== undefined)
      check(stdout.trim(), `${name}: attempts carried on: 0.`, 'the next version touched nothing of this one');
  }
  check(fleet.call(api, 'fleet', 'list', '--json').json.workers, [], 'no worker is left');
}

function readLines(path) {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
