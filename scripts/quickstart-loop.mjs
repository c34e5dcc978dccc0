// A night of the outer loop: `npm run quickstart -- loop`, or if installed, `dev-cli demo loop`. A scripted tool
// (tests/support/tool.mjs) works on eight goals, while somebody else works in the same tree and `auto` is killed twice.
// git, the tests and every call of dev-cli are real.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StandInError } from '../tests/support/agent.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { findTerminal } from '../tests/support/terminal.mjs';
import { ASK_FIRST, check, heading, playOn, run, say } from './quickstart-stage.mjs';

const TOOL = fileURLToPath(new URL('../tests/support/tool.mjs', import.meta.url));

const GOALS = `goals: # what is worth having by tomorrow
  - { id: changelog, title: "Begin a changelog", status: active }
  - id: count
    title: "GET /todos/count"
    status: active
    children:
      - { id: count-tests, title: "Tests for GET /todos/count", status: active, expect_failure: true, type: test }
      - { id: count-code, title: "Answer GET /todos/count", status: active, depends_on: [count-tests] }
  - { id: limits, title: "Document the body limit", status: active, allowed_changes: ["docs/**"] }
  - { id: naming, title: "Give the API a name", status: active }
  - { id: port, title: "Say in the README which port is used", status: active }
  - { id: license, title: "Say in the README which license holds", status: active }
  - { id: health, title: "Answer /health with the version", status: active, recipe: ask-first }
`;

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

const ROUTES = readFileSync(new URL('../samples/todo-api/src/routes.js', import.meta.url), 'utf8');
const COUNTS =
  "    { method: 'GET', path: '/todos/count', handle: () => ({ status: 200, body: { count: store.list().length } }) },";
const FIRST_LINE = 'A to-do list over HTTP.';

/** For each goal, what the scripted tool does in its first session, its second, and so on. */
const SESSIONS = {
  changelog: [{ write: { 'CHANGELOG.md': '# Changelog\n' }, sleep: 2 }],
  'count-tests': [{ write: { 'test/count.test.js': COUNT_TEST } }],
  'count-code': [{ write: { 'src/routes.js': ROUTES.replace('return [\n', `return [\n${COUNTS}\n`) } }],
  limits: [
    { write: { 'docs/limits.md': 'A body may have 10,000 bytes.\n', 'package-lock.json': '{}\n' } },
    { write: { 'docs/limits.md': 'A body may have 10,000 bytes.\n' } },
  ],
  naming: [
    { handoff: 'blocked', reason: 'Shall it be called Todo or Tasks?' },
    { run: `sed -i.old 's/^# todo-api/# Tasks/' README.md && rm README.md.old` },
  ],
  port: [
    { sleep: 1, run: `sed -i.old 's/${FIRST_LINE}/${FIRST_LINE} Its port is 3000./' README.md && rm README.md.old` },
  ],
  license: [
    { sleep: 1, run: `sed -i.old 's/${FIRST_LINE}/${FIRST_LINE} Its license is MIT./' README.md && rm README.md.old` },
    { run: `sed -i.old 's/over HTTP\\./over HTTP. Its license is MIT./' README.md && rm README.md.old` },
  ],
  health: [
    {
      write: { 'docs/health.md': 'The version is in package.json.\n' },
      handoff: null,
      run: 'dev-cli next >../next.json && dev-cli step complete --action a1 >../done.json',
    },
    { handoff: null },
  ],
};

/** Plays the whole demonstration. @returns {Promise<number>} the exit code */
export function playLoop() {
  const about = {
    title: 'dev-cli demo loop: a night of goals. The tool is played by a script; no model is called.',
    prefix: 'dev-cli-loop-',
    look: `node ${BINARY} observe`,
  };
  return playOn(about, async (project) => {
    heading('In the evening: eight goals, and a tool');
    begin(project);
    heading('The night: auto is killed twice, and somebody works on in the same tree');
    await playNight(project);
    heading('In the morning');
    readMorning(project);
    heading('What waited is answered');
    await answer(project);
    heading('Where it all lies');
    show(project);
  });
}

function begin(project) {
  const script = join(project.root, '..', 'script.json');
  writeFileSync(script, JSON.stringify(SESSIONS));
  run(project, 'dev-cli init');
  put(project, '.ai/config.yaml', `test_command: npm test\nai_tool: node ${TOOL} ${script} {prompt_file} {goal}\n`);
  put(project, '.ai/goals.yaml', GOALS);
  mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
  put(project, '.dev/recipes/ask-first.yaml', ASK_FIRST);
  put(project, '.gitignore', `${readFileSync(join(project.root, '.gitignore'), 'utf8')}\n*.local\n`);
  run(project, 'git add --all && git commit --quiet --message="Goals for the night"');
  const plan = JSON.parse(run(project, 'dev-cli auto --recursive --dry-run --json'));
  for (const { id, title } of plan.goals) say(`    ${id}: ${title}`);
  project.digest = plan.trust.digest;
}

/** Kills two batches in the middle of a session; the third completes everything. */
async function playNight(project) {
  const { root } = project;
  for (const [index, line] of [
    'echo "notes" > notes.txt && git add notes.txt && git commit --quiet --message="Notes of mine"',
    'echo "half" >> docs-draft.txt && git add docs-draft.txt && echo "mine" > scratch.local && echo "left" > left.txt',
  ].entries()) {
    const child = spawn(process.execPath, [BINARY, 'auto', '--recursive', '--dirty', '--trust', project.digest], {
      cwd: root,
      env: project.env,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    await sleep(index === 0 ? 2500 : 4000);
    child.kill('SIGKILL');
    await ended;
    say('  auto was killed; its session goes on');
    run(project, line);
  }
  const { goals_processed: goals } = await loop(project, ['auto', '--recursive', '--dirty', '--parallel', '2']);
  for (const { id, classification, action_taken: action } of goals) say(`    ${id}: ${classification} -> ${action}`);
}

function readMorning(project) {
  const { goals } = JSON.parse(run(project, 'dev-cli observe --json'));
  const statusOf = (id) => goals.find((goal) => goal.id === id)?.status;
  const done = ['changelog', 'count-tests', 'count-code', 'limits', 'port', 'license'];
  check(
    done.map(statusOf),
    done.map(() => 'done'),
    'six goals are done',
  );
  check(statusOf('naming'), 'blocked', 'one asks a question');
  check(statusOf('health'), 'active', 'one waits at its gate');
  const status = run(project, 'git status --porcelain -- . ":!.ai"').trim().split('\n');
  check(status, ['A  docs-draft.txt', '?? left.txt'], 'what somebody staged and left is as it was');
  check(readFileSync(join(project.root, 'scratch.local'), 'utf8'), 'mine\n', 'and so is what git ignores');
  for (const line of run(project, 'git log --format="%h %s" -8').trim().split('\n')) say(`    ${line}`);
  const trailers = run(project, 'git log --format="%(trailers:key=Dev-Cli-Goal,valueonly)"')
    .split('\n')
    .filter(Boolean);
  check(trailers.sort(), [...done].sort(), 'one commit for each');
}

async function answer(project) {
  const terminal = findTerminal();
  if (terminal === null) say('    no terminal can be played here: the gate stays open');
  else {
    const command = `node ${BINARY} approve health-1 --choice integrate`;
    say('  $ dev-cli approve health-1 --choice integrate   (a person types yes)');
    const { exit } = terminal(command, { cwd: project.root, env: project.env, answers: ['yes'], pause: 300 });
    check(exit, 0, 'a person lets it be integrated');
    await loop(project, ['auto', '--recursive', '--dirty']);
    check(existsSync(join(project.root, 'docs/health.md')), true, 'the next batch goes on with it');
  }
  await loop(project, ['retry', 'naming', '--note', 'Tasks', '--dirty']);
  check(
    /^# Tasks/.test(readFileSync(join(project.root, 'README.md'), 'utf8')),
    true,
    'the answer reached the next attempt',
  );
}

function show(project) {
  const { attempts } = JSON.parse(run(project, 'dev-cli attempt list --json'));
  for (const { id, classification } of attempts) say(`    ${id}: ${classification}`);
  const failed = attempts.filter(({ success }) => !success).map(({ id }) => id);
  check(failed.includes('limits#1') && failed.includes('naming#1'), true, 'what failed was kept');
  check(
    existsSync(join(project.root, '.ai/events/events.jsonl')),
    true,
    '.ai/events/events.jsonl: all that the loop did',
  );
  say('\n  What the next session is told:');
  for (const line of run(project, 'dev-cli context --format plain').split('\n').slice(0, 14)) say(`    ${line}`);
}

/** Runs a command that starts sessions, with the option that trusts the configured commands for this call. */
async function loop(project, args) {
  say(`  $ dev-cli ${args.join(' ')}`);
  const child = spawn(process.execPath, [BINARY, ...args, '--trust', project.digest, '--json'], {
    cwd: project.root,
    env: project.env,
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const told = [];
  child.stderr.on('data', (chunk) => told.push(...String(chunk).trim().split('\n')));
  await new Promise((resolve) => child.on('close', resolve));
  const answered = JSON.parse(said);
  if (answered.error) throw new StandInError(`${answered.error.code}: ${answered.error.message}`);
  return answered;
}

function put({ root }, path, content) {
  writeFileSync(join(root, path), content);
}
