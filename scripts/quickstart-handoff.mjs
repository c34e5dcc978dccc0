// One session ends without a handoff, and others continue from what memory tells them: `npm run quickstart -- handoff`,
// or if installed, `dev-cli demo handoff`. A script plays the sessions; git, the tests and dev-cli itself are real.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StandIn, StandInError } from '../tests/support/agent.mjs';
import { CHANGES } from '../tests/support/changes.mjs';
import { ClaudeSession } from '../tests/support/claude-session.mjs';
import { BINARY, CHECKOUT, createProject } from '../tests/support/project.mjs';
import { tellAnswers } from '../tests/support/questions.mjs';

const change = CHANGES['middle'];
const DONE = join(CHECKOUT, 'samples', change.name);

const FIRST = 'DELETE /todos without a filter removes everything';
const AIM = 'DELETE /todos removes only what is done, and is refused without done=true';
const REASON = 'one forgotten parameter must not remove everything';
const DEAD_END = 'Renumbering after a removal: an id that a client keeps would name another to-do';
const COMMIT = 'The store removes one to-do, or all that are done';
const TEST = 'npm test';
const SESSION = '3f7deab2-1267-461e-999b-b220deca0696';

let wrong = 0;

/** Plays the whole demonstration. @returns {Promise<number>} the exit code */
export async function playHandoff() {
  try {
    say('dev-cli demo handoff: sessions end without a word, and others go on. No model is called.');
    const project = playSession();
    const truth = {
      ...{ aim: AIM, reason: REASON, superseded: [FIRST], deadEnd: [DEAD_END], committed: logOf(project) },
      ...{ uncommitted: statusOf(project), holds: 'no', repeat: TEST, waits: [] },
      next: `Run again, since files have changed: ${TEST}`,
    };
    check(statusOf(project).join(), 'src/routes.js', 'git lists the changes');
    heading('Session B, Codex, in a fresh process: dev-cli context --format json, and nothing else');
    const document = contextOf(asCodex(project));
    ask(document, truth);
    check(document.extra.commits[0].session, SESSION, 'which session made the commit');
    heading('The same through MCP alone: project_context_get of dev-cli mcp');
    ask(askServer(asCodex(project)), truth);
    playInterruption();
    playClone(project);
    heading('What doctor says of the project');
    showDoctor(project);
    say(`\nLook around: cd ${project.root} && node ${BINARY} context`);
  } catch (error) {
    if (!(error instanceof StandInError)) throw error;
    wrong += 1;
    say(`\nIt went wrong: ${error.message}`);
  }
  say(
    wrong === 0
      ? '\nEvery answer was the truth.'
      : `\n${wrong} ${wrong === 1 ? 'answer was' : 'answers were'} not the truth.`,
  );
  return wrong === 0 ? 0 : 1;
}

/** Creates a project with memory, as its owner sets it up. */
function setUp() {
  const project = createProject({ prefix: 'dev-cli-handoff-' });
  run(project, 'dev-cli install --harness claude --with memory --yes');
  run(project, 'git add --all && git commit --quiet --message="Set up dev-cli"');
  return project;
}

/** Plays a session of Claude Code that ends without a handoff. */
function playSession() {
  heading('Session A, Claude Code');
  const project = setUp();
  const session = new ClaudeSession(project, SESSION);
  session.start('startup');
  session.ask(change.goal);
  decide(session);
  write(session, 'todo-1/test/store.test.js');
  test(session, 'red');
  write(session, 'todo-1/src/store.js');
  test(session, 'green');
  act(session, `git add --all && git commit --quiet --message="${COMMIT}"`);
  act(session, `dev-cli memory note --kind tried --text "${DEAD_END}"`);
  write(session, 'todo-2/src/routes.js');
  say('  its context is compacted; what it is told then begins with');
  const told = session.start('compact');
  for (const line of told.split('\n').slice(0, 6)) say(`      ${line.slice(0, 100)}`);
  check(told.includes(AIM), true, 'it is told the aim again');
  say('  it ends without a word');
  return project;
}

/** Plays a session that ends in the middle of a plan's second wave. */
function playInterruption() {
  heading('An execution that is interrupted in its second wave');
  const project = setUp();
  const { root } = project;
  const session = new ClaudeSession(project, 'd5cfcde5-ec81-4efd-9797-43eca49c3215');
  session.start('startup');
  decide(session);
  test(session, 'green');
  act(session, `dev-cli memory note --kind tried --text "${DEAD_END}"`);
  const plan = join(root, '.dev/plan-content.json');
  writeFileSync(plan, JSON.stringify(change.plan(0)));
  act(session, `dev-cli plan generate ${change.name} --data @.dev/plan-content.json`);
  const crew = change.crew();
  let waves = 0;
  /** @param {{ tasks?: { substep: string }[] }} action */
  const before = ({ tasks = [] }) => {
    const [task] = tasks.filter(({ substep }) => substep === 'worker');
    if (task === undefined) return;
    waves += 1;
    if (waves < 2) return;
    const [path, text] = Object.entries(crew.worker(task, root).files).find(([file]) => file.startsWith('src/')) ?? [];
    writeFileSync(join(root, path), text);
    say(`  the worker of the second wave has written ${path}; then everything ends`);
    return 'stop';
  };
  const agent = new StandIn({ project, change, crew, scenario: { before } });
  agent.drive(agent.execute('--execute --autopilot'));
  const truth = {
    ...{ aim: AIM, reason: REASON, superseded: [FIRST], deadEnd: [DEAD_END], committed: logOf(project) },
    ...{ uncommitted: statusOf(project), holds: 'no', repeat: TEST, waits: [] },
    next: `Go on with the run: dev-cli next ${change.name}`,
  };
  say('  Session B, Codex, asks dev-cli context --format json');
  ask(contextOf(asCodex(project)), truth);
}

/** Session B continues and hands over; a colleague gets only what git transfers. */
function playClone(project) {
  heading('Session B goes on, hands over, and a colleague pulls');
  const codex = asCodex(project);
  const colleague = { ...project, root: join(dirname(project.root), 'colleague') };
  run(project, 'git clone --quiet . ../colleague');
  cpSync(join(DONE, 'todo-2'), project.root, { recursive: true });
  run(codex, 'dev-cli memory verify --again');
  run(codex, 'git add --all && git commit --quiet --message="Two DELETE routes, and the README"');
  const next = 'Tell the clients of the two routes';
  const blocked = 'Whether the version becomes 1.3.0 or 2.0.0';
  const said = `--session-summary "Clients can remove to-dos" --first-next-action "${next}" --blocked-by "${blocked}"`;
  run(codex, `dev-cli handoff write ${said}`);
  run(codex, 'git add --all && git commit --quiet --message="Hand over"');
  run(colleague, 'git pull --quiet');
  const document = contextOf(colleague);
  const [waits = ''] = document.extra.handed?.Waiting ?? [];
  check(waits.includes(blocked), true, 'the handoff says what waits');
  ask(document, {
    ...{ aim: AIM, reason: REASON, superseded: [FIRST], deadEnd: [DEAD_END], committed: logOf(colleague) },
    ...{ uncommitted: statusOf(colleague), holds: 'yes', repeat: TEST, waits: [waits], next },
  });
}

/** Decides twice; the second decision replaces the first. */
function decide(session) {
  const first = act(session, `dev-cli memory decide --text "${FIRST}" --reason "it is the shortest to say"`);
  const { id } = JSON.parse(first.stdout);
  act(session, `dev-cli memory decide --text "${AIM}" --reason "${REASON}" --supersedes ${id}`);
}

function test(session, colour) {
  const { status } = act(session, `dev-cli memory verify -- ${TEST}`, colour === 'green' ? 0 : 1);
  say(`      the tests are ${status === 0 ? 'green' : 'red'}`);
}

/** Has the agent write a file with the text that the sample change gives it. */
function write(session, from) {
  const path = from.split('/').slice(1).join('/');
  session.write(path, readFileSync(join(DONE, from), 'utf8'));
  say(`  writes ${path}`);
}

/** Has the agent run a command. */
function act(session, command, expected = 0) {
  const ran = session.run(command);
  say(`  $ ${command}`);
  if (ran.status === expected) return ran;
  throw new StandInError(`${command}: exit ${ran.status} ${ran.stdout}${ran.stderr}`);
}

/** Runs a command as somebody other than the agent. */
function run(place, command) {
  say(`  $ ${command}`);
  read(place, command);
}

/** Returns the output of a command that must succeed. */
function read(place, command, input = '') {
  const ran = shell(place, command, input);
  if (ran.status === 0) return ran.stdout;
  throw new StandInError(`${command}: exit ${ran.status} ${ran.stdout}${ran.stderr}`);
}

function shell({ root: cwd, env }, command, input = '') {
  return spawnSync('sh', ['-c', command], { cwd, env, input, encoding: 'utf8' });
}

/** Returns the project as a session of Codex CLI sees it. */
function asCodex(project) {
  return { ...project, env: { ...project.env, CODEX_THREAD_ID: '019f0000-0000-7000-8000-000000000000' } };
}

function contextOf(place) {
  return JSON.parse(read(place, 'dev-cli context --format json'));
}

/** Reads the context through a tool server that is started as its entry in .mcp.json says. */
function askServer(place) {
  const { command, args } = JSON.parse(readFileSync(join(place.root, '.mcp.json'), 'utf8')).mcpServers['dev-cli'];
  const clientInfo = { name: 'codex', version: '1' };
  const call = { name: 'project_context_get', arguments: { format: 'json' } };
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 1, method: 'tools/call', params: call },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const said = linesOf(read(place, [command, ...args].join(' '), messages.join('')));
  return said.map((line) => JSON.parse(line)).find(({ id }) => id === 1).result.structuredContent;
}

function showDoctor(project) {
  // doctor reports problems both in its output and by its exit code.
  for (const line of linesOf(shell(project, 'dev-cli doctor').stdout)) say(`  ${line}`);
}

function logOf(place) {
  return linesOf(read(place, 'git log -5 --format=%s'));
}

/** Lists the changed paths as git reports them, without those below .dev. */
function statusOf(place) {
  const lines = linesOf(read(place, 'git status --porcelain --untracked-files=all -- ":(exclude).dev"'));
  return lines.map((line) => line.slice(3));
}

function linesOf(text) {
  return text.split('\n').filter(Boolean);
}

function ask(document, truth) {
  wrong += tellAnswers(document, truth, say);
}

function check(found, expected, what) {
  if (found === expected) return;
  wrong += 1;
  say(`  WRONG  ${what}: ${found}`);
}

function heading(title) {
  say(`\n${title}`);
}

function say(line) {
  console.log(line);
}
