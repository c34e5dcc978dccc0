// Two projects worked off by four machines: `npm run quickstart -- fleet`, installed `dev-cli demo fleet`. Machines are lost on the way,
// and so are the database, the desk and the engine's tables. Each machine is a home, a state directory and a clone of its own on this
// one; the tool is played by a script (tests/support/tool.mjs), the person at the gate, too. PostgreSQL, git, the tests of the project and
// every process of dev-cli are real.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createFleet, until } from '../tests/support/fleet.mjs';
import { replayJournal } from '../tests/support/journal-reader.mjs';
import { startServer } from '../tests/support/postgres-server.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { findTerminal } from '../tests/support/terminal.mjs';
import { ASK_FIRST, check, failSoftly, heading, play, say } from './quickstart-stage.mjs';

/** Seconds without a sign of life after which a machine is lost. */
const LEASE = 6;

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
/** Takes one action of the run. */
const step = (id, more = {}) => ({
  ...more,
  handoff: null,
  run: `dev-cli next >../next.json && dev-cli step complete --action ${id} >../done.json`,
});

const PAGES = ['start', 'routes', 'errors', 'store', 'tests', 'deploy'];
const API_GOALS = [
  goal('changelog', 'Begin a changelog'),
  goal('count-tests', 'Tests for GET /todos/count', ', expect_failure: true, type: test'),
  goal('count-code', 'Answer GET /todos/count', ', depends_on: [count-tests]'),
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
  health: [step('a1', page('health', 1)), { handoff: null }],
  tour: [step('a1', page('tour-1', 1)), step('a2', page('tour-2', 1))],
  ...Object.fromEntries(PAGES.map((id) => [id, [page(id, 3)]])),
};
const API_DONE = ['changelog', 'count-tests', 'count-code', 'limits', 'port', 'license', 'health', 'tour', ...PAGES];

/** Each goes on from the one before: so there is work until the end. */
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

/** Plays all of it. @returns {Promise<number>} the exit code */
export function playFleet() {
  const title =
    'dev-cli demo fleet: two projects, four machines, one database. The tool is played by a script; no model is called.';
  return play(title, async () => {
    const given = process.env['DEV_CLI_TEST_POSTGRES'];
    const server = given ? { url: given, kill: null, start: null } : await startServer();
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

async function playAll(fleet, server) {
  heading('In the evening: 24 goals of two projects, and four machines');
  const stage = begin(fleet);
  heading('The night');
  await playNight(fleet, stage, server);
  heading('In the morning');
  await answer(fleet, stage);
  await readMorning(fleet, stage);
}

function begin(fleet) {
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
  return { api, notes, machines, clone, workers: new Map(), desks: new Map() };
}

function work(fleet, { workers }, machine) {
  say(`  ${machine.name} $ dev-cli fleet worker &`);
  workers.set(machine.name, fleet.start(machine, 'fleet', 'worker'));
}

function open(fleet, { desks }, desk) {
  say(`  ${desk.project} $ dev-cli auto --recursive --fleet &`);
  desks.set(desk.project, fleet.start(desk, 'auto', '--recursive', '--fleet', '--json'));
}

async function playNight(fleet, stage, _server) {
  const { api, notes, machines } = stage;
  for (const machine of machines) work(fleet, stage, machine);
  for (const desk of [api, notes]) open(fleet, stage, desk);
  for (const desk of [api, notes]) {
    const { exit, stdout } = await stage.desks.get(desk.project).ended;
    check(exit, 1, `the desk of ${desk.project} has an end; not all of it is done`);
    for (const { id, classification, action_taken: action, reason } of JSON.parse(stdout).goals_processed ?? [])
      say(`    ${id}: ${classification} -> ${action}${reason ? `: ${reason}` : ''}`);
  }
}

async function answer(_fleet, _stage) {}

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

/** Some figures of the baseline, from the lines of the log alone. */
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

/** A call that is told, and has to go well. */
function told(fleet, place, ...args) {
  say(`  $ dev-cli ${args.join(' ')}`);
  const { exit, stdout, stderr } = fleet.call(place, ...args);
  for (const line of stdout.trim().split('\n').slice(0, 6)) say(`    ${line}`);
  check(exit, 0, `dev-cli ${args[0]} ${args[1] ?? ''} goes well${exit === 0 ? '' : `: ${stdout}${stderr}`}`);
  return stdout;
}
