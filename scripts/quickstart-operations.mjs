// A morning with the loop: `npm run quickstart -- operations`, or if installed, `dev-cli demo operations`. auto, three
// workers and an orchestrator share twelve goals, while a person answers the waiting items. Scripts play the tools, the
// workers' commands, the orchestrator and the person. dev-cli's clock runs SPEED times as fast, so that claims expire
// within seconds; git, the tests and every call of dev-cli are real.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StandInError } from '../tests/support/agent.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { findTerminal } from '../tests/support/terminal.mjs';
import { ASK_FIRST, check, heading, playOn, run, say } from './quickstart-stage.mjs';

const TOOL = fileURLToPath(new URL('../tests/support/tool.mjs', import.meta.url));
const CLOCK = fileURLToPath(new URL('../tests/support/fast-clock.cjs', import.meta.url));
const WORKER = fileURLToPath(new URL('../samples/worker.sh', import.meta.url));
const SPEED = 20;

const PLAIN = ['one', 'two', 'three', 'four', 'five', 'six'];
const ALL = ['look', 'name', 'paid', 'clash', 'cache', 'packet', ...PLAIN];
const goal = (id, title, more = '') => `  - { id: ${id}, title: "${title}", status: active${more} }\n`;
const GOALS = `goals:
${goal('look', 'Answer /health with the version', ', recipe: ask-first')}${goal('name', 'Give the API a name')}${goal('paid', 'Send mails')}${goal('clash', 'Document errors')}${goal('cache', 'Cache the list', ', decision_file: .ai/decisions/cache-kind.yaml')}${goal('packet', 'Document the body limit')}${PLAIN.map((id) => goal(id, `Write the page ${id}`)).join('')}`;

const TICKET = `decision_id: cache-kind
goal_id: cache
question: "How is the list cached?" # measured below
status: proposed
alternatives:
  - { id: none, approach: "Not at all" }
  - { id: table, approach: "A table in a file" }
  - { id: memory, approach: "A map in memory" }
`;
/** The command that tries an alternative of the decision: `none` fails, `table` writes many lines, `memory` few. */
const TRY =
  'case {alternative_id} in none) exit 1;; table) seq 1 200 >cache.txt;; memory) echo a map >cache.txt;; esac';

const page = (id) => ({ write: { [`docs/${id}.md`]: `${id}\n` } });
/** For each goal, what the scripted tool does in its first session, its second, and so on. */
const SESSIONS = {
  look: [
    {
      write: { 'docs/health.md': 'The version is in package.json.\n' },
      handoff: null,
      run: 'dev-cli next >../next.json && dev-cli step complete --action a1 >../done.json',
    },
    { handoff: null },
  ],
  name: [{ handoff: 'blocked', reason: 'Todo or Tasks?' }, page('tasks')],
  paid: [{ handoff: 'blocked', reason: 'A mail service costs 10 USD a month. Buy it?' }],
  clash: [page('errors')],
  cache: [{ write: { 'cache.txt': 'a map\n' } }],
  ...Object.fromEntries(PLAIN.map((id) => [id, [{ sleep: 3, ...page(id) }]])),
};

/** Plays the whole demonstration. @returns {Promise<number>} the exit code */
export function playOperations() {
  const about = {
    title:
      'dev-cli demo operations: workers, an inbox, packets, a decision. All who work are played by scripts; no model is called.',
    prefix: 'dev-cli-operations-',
    look: `node ${BINARY} inbox list --include-resolved`,
  };
  return playOn(about, async (project) => {
    heading('Twelve goals; an orchestrator takes one, auto begins');
    begin(project);
    const claim = ask(project, 'queue claim --worker orchestrator --goal packet').claim_id;
    const batch = start(project, 'auto', ['--recursive', '--dirty', '--parallel', '2', '--trust', project.digest]);
    await until(() => waits(project).length >= 3, 'a gate and two questions wait');
    heading('Three workers join: one is killed, one is paused');
    const workers = await join3(project);
    heading('The orchestrator hands its work in, as a file');
    handIn(project, claim);
    heading('A person reads the inbox, and answers');
    answer(project);
    await batch.ended;
    await workers[2].ended;
    heading('A question is settled by measuring');
    decide(project);
    heading('The killed and the paused worker: their claims are over');
    await outlive(project, workers[1]);
    heading('The next batch does what is left');
    await start(project, 'auto', ['--recursive', '--dirty', '--trust', project.digest]).ended;
    answerClash(project);
    await start(project, 'auto', ['--recursive', '--dirty', '--trust', project.digest]).ended;
    heading('What came of it');
    show(project);
  });
}

function begin(project) {
  const { root, env } = project;
  const script = join(root, '..', 'script.json');
  writeFileSync(script, JSON.stringify(SESSIONS));
  env.NODE_OPTIONS = `--require ${CLOCK}`;
  env.DEV_CLI_TEST_CLOCK = String(SPEED);
  env.DEV_CLI_TEST_CLOCK_FROM = String(Date.now());
  run(project, 'dev-cli init');
  const config = `test_command: npm test\nai_tool: node ${TOOL} ${script} {prompt_file} {goal}\n`;
  const files = {
    '.ai/config.yaml': config,
    '.ai/goals.yaml': GOALS,
    '.ai/decisions/cache-kind.yaml': TICKET,
    '.dev/recipes/ask-first.yaml': ASK_FIRST,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  run(project, 'git add --all && git commit --quiet --message="Goals of the morning"');
  // A person's own file, at a path where an attempt will add a file.
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(join(root, 'docs/errors.md'), 'mine\n');
  project.digest = ask(project, 'auto --recursive --dry-run').trust.digest;
}

/** Starts three workers, and once the first two have a goal, kills the first and pauses the second. */
async function join3(project) {
  const line = (seconds) => `sleep ${seconds}; mkdir -p docs; echo "$GOAL" >"docs/$GOAL.md"`;
  const workers = [60, 4, 0].map((seconds, n) =>
    start(project, 'sh', [WORKER, `w${n + 1}`, line(seconds), '5'], `sh samples/worker.sh w${n + 1}`),
  );
  const has = (worker) => claims(project).some((one) => one.worker_id === worker && one.status === 'active');
  await until(() => has('w1') && has('w2'), 'both have a goal');
  process.kill(-workers[0].pid, 'SIGKILL');
  process.kill(-workers[1].pid, 'SIGSTOP');
  say('  w1 is killed, w2 is paused; both hold their goals until their claims are over');
  return workers;
}

function handIn(project, claim) {
  const { packet } = ask(project, 'protocol export --adapter langgraph --goal packet');
  const text = 'A body may have 10,000 bytes.';
  const patch = `diff --git a/docs/limits.md b/docs/limits.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/limits.md\n@@ -0,0 +1 @@\n+${text}\n`;
  const file = join(project.root, '..', 'result.json');
  const named = { adapter: 'langgraph', goal_id: 'packet', packet_id: packet.packet_id, claim_id: claim };
  writeFileSync(file, JSON.stringify({ schema_version: 'protocol_result.v1', ...named, success: true, patch }));
  const { attempt } = ask(project, `protocol ingest ${file}`);
  check(attempt, 'packet#1', 'it is an attempt like any other');
  run(project, `dev-cli queue release ${claim} --worker orchestrator`);
}

function answer(project) {
  for (const { priority, reason_code: why, goal_id: id, summary } of waits(project))
    say(`    ${priority} ${why} ${id}: ${summary}`);
  act(project, find(project, 'name', 'action_block'), 'approve --operator anna --reason "Tasks"');
  act(project, find(project, 'paid', 'action_block'), 'reject --operator anna --reason "Not this year"');
  const gate = waits(project).find(({ reason_code: why }) => why === 'gate');
  const terminal = findTerminal();
  if (terminal === null) throw new StandInError('no terminal can be played here');
  const line = `inbox act ${gate?.inbox_id} --action approve --operator anna`;
  say(`  $ dev-cli ${line}   (a person types yes)`);
  const options = { cwd: project.root, env: project.env, answers: ['yes'], pause: 300 };
  const { exit } = terminal(`node ${BINARY} ${line}`, options);
  check(exit, 0, 'a person lets the gate pass');
}

function decide(project) {
  const before = read(project, '.ai/decisions/cache-kind.yaml');
  const { winner_id: winner, winner_reason_code: why } = ask(
    project,
    `decision spike cache-kind --command '${TRY}' --accept`,
  );
  check([winner, why], ['memory', 'diff_lines'], 'the smaller of the two that pass has won');
  check(
    read(project, '.ai/decisions/cache-kind.yaml').includes('# measured below'),
    before.includes('#'),
    'the ticket says so, and keeps its comment',
  );
  run(project, 'git add --all .ai/decisions && git commit --quiet --message="Decide on the cache"');
}

async function outlive(project, paused) {
  await until(() => claims(project).every(({ status }) => status !== 'active'), 'no claim is active');
  process.kill(-paused.pid, 'SIGCONT');
  const exit = await paused.ended;
  check(exit !== 0, true, 'the paused worker is refused: it is too late');
}

/** Answers the item about a branch that could not be moved because a person's file was in the way. */
function answerClash(project) {
  const id = find(project, 'clash', 'action_escalate');
  act(project, id, 'defer --operator anna');
  check(read(project, 'docs/errors.md'), 'mine\n', 'the file in the way is as it was');
  rmSync(join(project.root, 'docs/errors.md'));
  act(project, find(project, 'clash', 'action_escalate'), 'approve --operator anna');
}

function show(project) {
  const { goals } = ask(project, 'observe');
  const of = (status) => goals.filter((one) => one.status === status).map(({ id }) => id);
  check(of('done').sort(), ALL.filter((id) => id !== 'paid').sort(), 'eleven are done');
  check(of('blocked'), ['paid'], 'one is answered for');
  const commits = run(project, 'git log --format="%(trailers:key=Dev-Cli-Goal,valueonly)"').split('\n').filter(Boolean);
  check(commits.sort(), ALL.filter((id) => id !== 'paid').sort(), 'one commit for each');
  check(waits(project), [], 'nothing waits any more');
  const { baseline } = ask(project, 'observe baseline');
  const counted = countByHand(project);
  check(
    Object.fromEntries(Object.keys(counted).map((key) => [key, baseline[key]])),
    counted,
    'the baseline is what a count by hand gives',
  );
  const views = () => {
    run(project, 'dev-cli events replay');
    return ['.ai/state/goal_views.yaml', '.ai/state/operator_inbox.yaml'].map((path) => read(project, path));
  };
  const [first, second] = [views(), views()];
  check(first, second, 'two replays give the same bytes');
}

/** Computes some of the baseline's figures from the event log alone. */
function countByHand(project) {
  const lines = read(project, '.ai/events/events.jsonl').trim().split('\n');
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

/** Starts a command of dev-cli, or a shell script, in its own process group. */
function start({ root: cwd, env }, program, args, shown = `dev-cli ${program} ${args.slice(0, 4).join(' ')}`) {
  say(`  $ ${shown} &`);
  const [file, words] = program === 'sh' ? ['sh', args] : [process.execPath, [BINARY, program, ...args]];
  const child = spawn(file, words, { cwd, env, detached: true, stdio: 'ignore' });
  return { pid: child.pid, ended: new Promise((resolve) => child.on('close', resolve)) };
}

const ask = (project, line) => JSON.parse(run(project, `dev-cli ${line} --json`));
const quietly = ({ root: cwd, env }, line) => JSON.parse(run({ root: cwd, env }, `dev-cli ${line} --json`, true));
const waits = (project) => quietly(project, 'inbox list').items;
const claims = (project) => quietly(project, 'queue list').claims;
const read = ({ root }, path) => readFileSync(join(root, path), 'utf8');

function find(project, goalId, why) {
  const item = waits(project).find(({ goal_id: id, reason_code: code }) => id === goalId && code === why);
  if (item === undefined) throw new StandInError(`nothing of ${goalId} waits as ${why}`);
  return item.inbox_id;
}

function act(project, id, words) {
  const { resolved } = ask(project, `inbox act ${id} --action ${words}`);
  check(resolved, !words.startsWith('defer'), `${words.split(' ')[0]}: recorded, and carried out`);
}

async function until(holds, what) {
  for (let tries = 0; tries < 240; tries += 1) {
    if (holds()) return say(`  ${what}`);
    await sleep(250);
  }
  throw new StandInError(`not within a minute: ${what}`);
}
