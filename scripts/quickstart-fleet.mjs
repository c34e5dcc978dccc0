// Four machines work on two projects: `npm run quickstart -- fleet`, installed `dev-cli demo fleet`. On the way,
// machines, the database, the desk and the engine's tables are lost. Each machine is a home, a state directory and a
// clone on this machine; a script plays the tool (tests/support/tool.mjs) and the person at the gate. PostgreSQL, git,
// the project's tests and every process of dev-cli are real.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StandInError } from '../tests/support/agent.mjs';
import { createFleet, until } from '../tests/support/fleet.mjs';
import { replayJournal } from '../tests/support/journal-reader.mjs';
import { makeDatabase, startServer } from '../tests/support/postgres-server.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { findTerminal } from '../tests/support/terminal.mjs';
import { ASK_FIRST, check, failSoftly, heading, play, say } from './quickstart-stage.mjs';

/** Seconds without a heartbeat after which a machine is lost. */
const LEASE = 6;
/** Milliseconds for which the database is away. */
const OUTAGE = 10_000;

const TWO_SESSIONS = `name: two-sessions
type: sequential
description: "Work on a goal in two parts."
goal: required
guard: { writes: ["**"], sources: free }
blocks:
  - { id: half, type: llm, instruction: "Do the first half." }
  - { id: rest, type: llm, instruction: "Do the rest." }
`;

const FIRST_LINE = 'A to-do list over HTTP.';
const ROUTES = readFileSync(new URL('../samples/todo-api/src/routes.js', import.meta.url), 'utf8');
const COUNTS =
  "    { method: 'GET', path: '/todos/count', handle: () => ({ status: 200, body: { count: store.list().length } }) },";
const COUNT_TEST = `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startApi } from './support.js';

it('counts', async (test) => {
  const api = await startApi();
  test.after(() => api.close());
  const response = await api.request('/todos/count');
  assert.deepEqual(await response.json(), { count: 0 });
});
`;

const goal = (id, title, more = '') => `  - { id: ${id}, title: "${title}", status: active${more} }\n`;
const page = (id, sleep = 2) => ({ sleep, write: { [`docs/${id}.md`]: `${id}\n` } });
const onLine = (text) => ({
  sleep: 2,
  run: `sed -i.old 's/${FIRST_LINE}.*/${FIRST_LINE} ${text}/' README.md && rm README.md.old`,
});
/** The session's part that acknowledges one action of the run. */
const step = (id) => ({
  ...page(id, 1),
  handoff: null,
  run: 'dev-cli step complete --action $(dev-cli next | sed \'s/.*"actionId":"\\([^"]*\\)".*/\\1/\') >../done.json',
});

const PAGES = ['start', 'routes', 'errors', 'store', 'tests', 'deploy'];
const API_GOALS = [
  goal('changelog', 'Begin a changelog'),
  goal('count-code', 'Answer GET /todos/count'),
  goal('count-tests', 'Tests for GET /todos/count', ', depends_on: [count-code], type: test'),
  goal('limits', 'Document the body limit', ', allowed_changes: ["docs/**"]'),
  goal('port', 'Say in the README which port is used'),
  goal('license', 'Say in the README which license holds'),
  goal('health', 'Answer /health with the version', ', recipe: ask-first'),
  goal('tour', 'Write a tour', ', recipe: two-sessions'),
  ...PAGES.map((id) => goal(id, `Write the page ${id}`)),
].join('');
const API_SESSIONS = {
  changelog: [{ sleep: 2, write: { 'CHANGELOG.md': '# Changelog\n' } }],
  'count-tests': [{ write: { 'test/count.test.js': COUNT_TEST } }],
  'count-code': [{ sleep: 1, write: { 'src/routes.js': ROUTES.replace('return [\n', `return [\n${COUNTS}\n`) } }],
  limits: [
    { write: { 'docs/limits.md': 'A body may have 10,000 bytes.\n', 'package-lock.json': '{}\n' } },
    page('limits'),
  ],
  port: [onLine('Its port is 3000.')],
  license: [onLine('Its license is MIT.')],
  health: [step('health')],
  tour: [step('tour')],
  ...Object.fromEntries(PAGES.map((id) => [id, [page(id, 3)]])),
};
const API_DONE = ['changelog', 'count-tests', 'count-code', 'limits', 'port', 'license', 'health', 'tour', ...PAGES];

/** Each goal depends on the previous one, so there is work until the end. */
const CHAIN = ['spring', 'summer', 'autumn', 'winter'];
const SINGLE = ['north', 'east', 'south', 'west', 'centre'];
const NOTES_GOALS = [
  ...CHAIN.map((id, n) => goal(id, `Write ${id}`, n === 0 ? '' : `, depends_on: [${CHAIN[n - 1]}]`)),
  ...SINGLE.map((id) => goal(id, `Write ${id}`)),
  goal('stray', 'Stay in the notes', ', allowed_changes: ["docs/**"], max_retries: 1'),
].join('');
const NOTES_SESSIONS = {
  ...Object.fromEntries([...CHAIN, ...SINGLE].map((id) => [id, [page(id, 3)]])),
  stray: [{ write: { 'elsewhere.md': 'out of scope\n' } }],
};
const NOTES_DONE = [...CHAIN, ...SINGLE];

/** Plays the whole demonstration. @returns {Promise<number>} the exit code */
export function playFleet() {
  const title =
    'dev-cli demo fleet: two projects, four machines, one database. The tool is played by a script; no model is called.';
  return play(title, async () => {
    const given = process.env['DEV_CLI_TEST_POSTGRES'];
    const server = given ? await openGiven(given) : await startOwn();
    const fleet = createFleet({ url: server.url, prefix: 'dev-cli-demo-fleet-', lease: LEASE });
    try {
      await playAll(fleet, server);
    } catch (error) {
      failSoftly(error);
    }
    await fleet.end({ keep: true });
    return `cd ${fleet.base} && ls`;
  });
}

async function openGiven(url) {
  const own = await makeDatabase(url, `demo_${Date.now()}`).catch(({ message }) => {
    throw new StandInError(`DEV_CLI_TEST_POSTGRES cannot be used: ${message}`);
  });
  return { url: own };
}

/** Starts a PostgreSQL of its own; a clone has one from npm. */
function startOwn() {
  return startServer().catch((error) => {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    throw new StandInError(
      'name a PostgreSQL to play on: DEV_CLI_TEST_POSTGRES=postgresql://USER:PASSWORD@HOST/DATABASE',
    );
  });
}

async function playAll(fleet, server) {
  heading('In the evening: 24 goals of two projects, and four machines');
  const stage = await begin(fleet);
  heading('The night');
  await playNight(fleet, stage, server);
  heading('In the morning');
  await answer(fleet, stage);
  await readMorning(fleet, stage);
  await endWorkers(stage);
}

async function begin(fleet) {
  const recipes = { '.dev/recipes/ask-first.yaml': ASK_FIRST, '.dev/recipes/two-sessions.yaml': TWO_SESSIONS };
  const config = 'test_command: npm test\nbackoff_minutes: [0.02, 0.02, 0.05]\n';
  const api = fleet.addProject('api', {
    ...{ sample: 'todo-api', goals: API_GOALS, sessions: API_SESSIONS, config },
    files: recipes,
  });
  const notes = fleet.addProject('notes', { goals: NOTES_GOALS, sessions: NOTES_SESSIONS });
  told(fleet, api, 'fleet', 'init');
  const machines = ['ada', 'bob', 'cyd', 'dan'].map((name) => fleet.addMachine(name));
  const clone = fleet.addClone(api, 'anna');
  const [eve, next] = [fleet.addMachine('eve'), await findNext()];
  if (next !== null) machines.push({ ...eve, binary: next });
  return { api, notes, machines, clone, workers: new Map(), desks: new Map() };
}

/** Builds the next version from the sources; null where dev-cli is installed. */
async function findNext() {
  const there = existsSync(new URL('../tests/support/next-version.mjs', import.meta.url));
  return there ? (await import('../tests/support/next-version.mjs')).buildNext() : null;
}

function work(fleet, { workers }, machine) {
  const which = machine.binary === undefined ? '' : '   (of the next version)';
  say(`  ${machine.name} $ dev-cli fleet worker &${which}`);
  workers.set(machine.name, fleet.start(machine, 'fleet', 'worker'));
}

function open(fleet, { desks }, desk) {
  say(`  ${desk.project} $ dev-cli auto --recursive --fleet &`);
  desks.set(desk.project, fleet.start(desk, 'auto', '--recursive', '--fleet', '--json'));
}

async function playNight(fleet, stage, server) {
  const { api, notes, machines } = stage;
  const [ada, bob, cyd] = machines;
  for (const machine of machines) work(fleet, stage, machine);
  for (const desk of [api, notes]) open(fleet, stage, desk);
  await killInSession(fleet, stage, ada);
  await pausePastLease(fleet, stage, bob);
  await loseDisk(fleet, stage, cyd);
  work(fleet, stage, ada);
  for (const { name } of [ada, cyd])
    await until(`${name} is at work again`, () => stage.workers.get(name).told().includes('at work for'));
  if (server.kill) await stopDatabase(fleet, stage, server);
  await killDesk(fleet, stage, notes);
  await dropEngine(fleet, stage);
  for (const desk of [api, notes]) await waitForDesk(stage, desk);
}

/** Tells each worker to end. */
async function endWorkers({ workers, machines }) {
  for (const { name, binary } of machines) {
    workers.get(name).kill();
    const { exit, stdout } = await workers.get(name).ended;
    check(exit, 130, `${name} ends when it is told to`);
    if (binary !== undefined)
      check(stdout.trim(), `${name}: carried 0 on.`, 'the next version touched nothing of this one');
  }
}

/** Waits until a machine has a session under way. @returns its claims */
async function waitForSession(fleet, { api, notes }, { name }) {
  return until(`${name} has a session`, async () => {
    const states = [await fleet.readState(api), await fleet.readState(notes)];
    const claims = states.flatMap(({ attempts, leases }) =>
      leases.filter(({ id, worker, status }) => {
        const attempt = Object.values(attempts).find(({ claim }) => claim === id);
        return worker === name && status === 'active' && attempt?.state === 'session';
      }),
    );
    return claims.length > 0 ? claims : null;
  });
}

/** Waits until none of these claims is active any more. */
function waitForLoss(fleet, claims) {
  const ids = claims.map(({ id }) => id);
  return until('their leases are closed', async () => {
    const [{ open }] = await fleet.ask(
      "SELECT count(*)::int AS open FROM dev_cli.leases WHERE status = 'active' AND id = ANY($1)",
      [ids],
    );
    return open === 0;
  });
}

async function killInSession(fleet, stage, machine) {
  const claims = await waitForSession(fleet, stage, machine);
  stage.workers.get(machine.name).kill('SIGKILL');
  say(`  ${machine.name} is killed in a session of ${claims.map(({ goal }) => goal).join(', ')}`);
  await waitForLoss(fleet, claims);
  say('    and is lost: others go on with what it had');
}

async function pausePastLease(fleet, stage, machine) {
  const claims = await waitForSession(fleet, stage, machine);
  const worker = stage.workers.get(machine.name);
  worker.kill('SIGSTOP');
  say(`  ${machine.name} stands still in a session of ${claims.map(({ goal }) => goal).join(', ')}`);
  await waitForLoss(fleet, claims);
  worker.kill('SIGCONT');
  say('    past its lease, and goes on: what it says of these counts no more');
}

async function loseDisk(fleet, stage, machine) {
  await waitForSession(fleet, stage, machine);
  stage.workers.get(machine.name).kill('SIGKILL');
  await stage.workers.get(machine.name).ended;
  rmSync(machine.state, { recursive: true, force: true, maxRetries: 3 });
  say(`  ${machine.name} is killed, and its disk is lost: it begins with nothing`);
  work(fleet, stage, machine);
}

async function stopDatabase(_fleet, _stage, server) {
  await server.kill();
  say('  the database is cut off');
  await sleep(OUTAGE);
  await server.start();
  say(`    and is back after ${OUTAGE / 1000} s`);
}

async function killDesk(fleet, stage, desk) {
  stage.desks.get(desk.project).kill('SIGKILL');
  await stage.desks.get(desk.project).ended;
  say(`  the desk of ${desk.project} is killed`);
  open(fleet, stage, desk);
}

/** Drops the engine's tables: they hold nothing that cannot be rebuilt. */
async function dropEngine(fleet, { api }) {
  await fleet.ask('DROP SCHEMA dbos CASCADE');
  say('  the tables of the engine are dropped');
  told(fleet, api, 'fleet', 'init');
}

async function waitForDesk(stage, desk) {
  const started = stage.desks.get(desk.project);
  const { exit, stdout } = await started.ended;
  check(exit === 0 || exit === 1, true, `the desk of ${desk.project} has an end`);
  const answer = JSON.parse(stdout || '{}');
  if (answer.error) say(`    ${answer.error.code}: ${answer.error.message}`);
  for (const { id, classification, action_taken: action, reason } of answer.goals_processed ?? [])
    say(`    ${id}: ${classification} -> ${action}${reason ? `: ${reason}` : ''}`);
}

/** Answers what waits, in a person's clone. */
async function answer(fleet, stage) {
  const { clone, api, notes } = stage;
  told(fleet, clone, 'inbox', 'list');
  told(fleet, clone, 'fleet', 'take', 'health');
  const terminal = findTerminal();
  if (terminal === null) throw new StandInError('no terminal can be played here');
  say('  anna $ dev-cli approve health-1 --choice integrate   (a person types yes)');
  const command = `node ${BINARY} approve health-1 --choice integrate`;
  const { exit, output } = terminal(command, { cwd: clone.root, env: clone.env, answers: ['yes'], pause: 300 });
  check(exit, 0, `the gate is passed${exit === 0 ? '' : `: ${output}`}`);
  told(fleet, clone, 'fleet', 'give', 'health');
  open(fleet, stage, api);
  await stage.desks.get(api.project).ended;
  const item = fleet.call(notes, 'inbox', 'list', '--json').json.items.find(({ goal_id: id }) => id === 'stray');
  told(fleet, notes, 'inbox', 'act', item.inbox_id, '--action', 'reject', '--operator', 'anna');
}

async function readMorning(fleet, { api, notes }) {
  for (const [desk, wanted] of [
    [api, API_DONE],
    [notes, NOTES_DONE],
  ]) {
    check(fleet.listDone(desk).sort(), [...wanted].sort(), `${desk.project}: each goal once on its branch`);
    const { attempts, leases } = await fleet.readState(desk);
    check(Object.keys(attempts), [], `${desk.project}: no attempt is open`);
    check(leases.filter(({ status }) => status === 'active').length, 0, `${desk.project}: no lease is open`);
    const counted = countByHand(desk);
    const { baseline } = fleet.call(desk, 'observe', 'baseline', '--json').json;
    const shown = Object.fromEntries(Object.keys(counted).map((key) => [key, baseline[key]]));
    check(shown, counted, `${desk.project}: the baseline is what a count by hand gives`);
    const directory = join(fleet.base, `stream-${desk.project}`);
    told(fleet, desk, 'fleet', 'export', directory);
    check(replayJournal(directory), [], `${desk.project}: the stream, written out and replayed, is the same`);
  }
}

/** Computes some figures of the baseline from the lines of the log alone. */
function countByHand({ root }) {
  const lines = readFileSync(join(root, '.ai/events/events.jsonl'), 'utf8').trim().split('\n');
  const events = [...new Map(lines.map((line) => [JSON.parse(line).event_id, JSON.parse(line)])).values()];
  const of = (type) => events.filter(({ event_type: one }) => one === type);
  const runs = new Map();
  for (const one of of('auto_attempt')) {
    const key = `${one.payload.run_id} ${one.payload.goal_id}`;
    runs.set(key, [...(runs.get(key) ?? []), one]);
  }
  const rows = [...runs.values()];
  const share = (part) => Math.round((part.length / rows.length) * 1000) / 1000;
  return {
    goal_runs: rows.length,
    success_rate: share(rows.filter((row) => row.at(-1).payload.success)),
    block_rate: share(rows.filter((row) => row.at(-1).payload.action_taken === 'block')),
    claim_attempts: of('queue_claim_created').length + of('queue_claim_rejected').length,
    stale_lease_recovery_count: of('queue_claim_expired').length,
  };
}

/** Prints and runs a command that must succeed. */
function told(fleet, place, ...args) {
  say(`  $ dev-cli ${args.join(' ')}`);
  const { exit, stdout, stderr } = fleet.call(place, ...args);
  for (const line of stdout.trim().split('\n').slice(0, 6)) say(`    ${line}`);
  check(exit, 0, `dev-cli ${args[0]} ${args[1] ?? ''} goes well${exit === 0 ? '' : `: ${stdout}${stderr}`}`);
  return stdout;
}
