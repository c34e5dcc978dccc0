// One plan for every tool: `npm run quickstart -- nexus`, or if installed, `dev-cli demo nexus`. Two clients plan and
// add tasks in one set of files, dev-cli carries the tasks out and reports back, and a client closes the cycle. A
// script plays the sessions and the agent; the servers, git, the tests and every call of dev-cli are real.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StandIn, StandInError } from '../tests/support/agent.mjs';
import { CHANGES } from '../tests/support/changes.mjs';
import { ClaudeSession } from '../tests/support/claude-session.mjs';
import { BINARY } from '../tests/support/project.mjs';
import { check, heading, playOn, run, say } from './quickstart-stage.mjs';

const change = CHANGES['middle'];
const [FIRST, SECOND] = change.plan(0).todos;
const SERVER = ['mcp', '--tools', 'neutral'];
const ISSUE = 'What does DELETE /todos do without a filter?';
const DECISION = 'It is refused: one forgotten parameter must not remove everything.';

/** Plays the whole demonstration. @returns {Promise<number>} the exit code */
export function playNexus() {
  const about = {
    title: 'dev-cli demo nexus: one plan, its tasks and their history for every tool. No model is called.',
    prefix: 'dev-cli-nexus-',
    look: `node ${BINARY} nexus call history_search`,
  };
  return playOn(about, async (project) => {
    const clients = [];
    try {
      run(project, 'dev-cli install --harness claude --yes');
      run(project, 'git add --all && git commit --quiet --message="Set up dev-cli"');
      const claude = await openClient(project, 'claude-code', await loadOfficial());
      clients.push(claude);
      heading(`Claude Code plans, with the tools of dev-cli ${SERVER.join(' ')} (${claude.how})`);
      await plan(claude);
      const codex = await openClient(project, 'codex', null);
      clients.push(codex);
      heading(`Codex adds tasks meanwhile, in a server of its own (${codex.how})`);
      await addTasks(codex);
      heading('dev-cli takes them over, and a scripted agent carries them out');
      execute(project);
      check(await statuses(claude), ['completed', 'completed'], 'the tasks stand completed');
      heading('Codex closes the cycle');
      await close(codex, project);
      heading('Where it all lies');
      show(project);
    } finally {
      for (const client of clients) await client.close();
    }
  });
}

async function plan(client) {
  await tell(client, 'plan_start', {
    topic: 'Let clients remove to-dos',
    issues: [ISSUE],
    research_summary:
      'src/app.js reads a JSON body of every request but GET; test/api.test.js expects 405 for DELETE /todos.',
  });
  const { allComplete } = await tell(client, 'plan_decide', { issue_id: 1, summary: DECISION });
  check(allComplete, true, 'all issues are decided');
}

async function addTasks(client) {
  const { topic } = await tell(client, 'plan_status', {});
  check(topic, 'Let clients remove to-dos', 'Codex sees the plan of Claude Code');
  for (const { title, steps } of [FIRST, SECOND]) {
    const deps = title === FIRST.title ? [] : [1];
    await tell(client, 'task_add', { title, context: steps.join('\n'), acceptance: 'npm test passes', deps });
  }
}

/**
 * Imports the tasks as a plan, and executes it until the tests are green. Then ends the session, whose hook reports the
 * results to the task files.
 */
function execute(project) {
  const session = new ClaudeSession(project, 'c0a80101-0000-4000-8000-000000000001');
  session.start('startup');
  run(project, `dev-cli plan import ${change.name} .nexus`);
  const env = { ...project.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session.id };
  let waves = 0;
  const scenario = {
    /** @param {{ tasks?: { todoId: string }[] }} action */
    before({ tasks = [] }) {
      if (tasks.length === 0) return;
      waves += 1;
      say(`  the worker of ${tasks.map(({ todoId }) => todoId).join(', ')} is at work`);
      if (waves === 2) say(`    ${changed(JSON.parse(run(project, `dev-cli nexus report ${change.name}`)))}`);
    },
  };
  const agent = new StandIn({ project: { ...project, env }, change, crew: crew(), scenario });
  say(`  $ dev-cli init ${change.name} --recipe execute-quick --autopilot`);
  const { outcome, summary } = agent.drive(agent.execute('--recipe execute-quick --autopilot'));
  check(outcome, 'completed', `the run is completed: ${summary}`);
  run(project, 'npm test');
  say('    the tests are green');
  for (const line of run(project, 'git log -2 --format=%s').trim().split('\n')) say(`    committed: ${line}`);
  session.stop('The to-dos can be removed.');
  say('  the session stops, and its hook reports to .nexus/state/tasks.json');
}

/**
 * Returns the sample change's crew, which expects ids like todo-N. Here the todos are imported from tasks and have ids
 * like task-N.
 */
function crew() {
  const workers = change.crew();
  const worker = (task, root) => workers.worker({ ...task, todoId: task.todoId.replace('task-', 'todo-') }, root);
  return { ...workers, worker };
}

async function statuses(client) {
  const { tasks } = await tell(client, 'task_list', {});
  return tasks.map(({ status }) => status);
}

async function close(client, project) {
  const { archived, deleted } = await tell(client, 'task_close', {});
  check(archived, { plan: true, decisions: 1, tasks: 2 }, 'plan, decision and tasks are archived');
  check(deleted, ['plan.json', 'tasks.json'], 'the files of the cycle are gone');
  const { cycles } = JSON.parse(readFileSync(join(project.root, '.nexus/history.json'), 'utf8'));
  const [{ plan: kept, tasks, branch }] = cycles;
  check([kept.issues[0].decision, branch], [DECISION, 'main'], 'the history has the decision, and the branch');
  check(
    tasks.map(({ title, status }) => [title, status]),
    [FIRST, SECOND].map(({ title }) => [title, 'completed']),
    'the history has both tasks, completed',
  );
}

function show({ root }) {
  for (const [path, what] of [
    ['.nexus/history.json', 'the closed cycle; git keeps it'],
    [`.dev/specs/${change.name}/PLAN.md`, 'the plan as it was imported and carried out'],
    [`.dev/specs/${change.name}/report.md`, 'the report of the run'],
  ]) {
    check(existsSync(join(root, path)), true, `${path}: ${what}`);
  }
}

function changed({ changed: tasks }) {
  return tasks.map(({ task, from, to }) => `task ${task}: ${from} -> ${to}`).join(', ');
}

/** Calls a tool, and prints the call. */
async function tell(client, name, given) {
  const value = await client.call(name, given);
  if (value.error !== undefined) throw new StandInError(`${name}: ${JSON.stringify(value.error)}`);
  const line = JSON.stringify(given);
  say(`  ${client.name} ${name} ${line.length > 90 ? `${line.slice(0, 90)}…` : line}`);
  return value;
}

/** Loads the protocol's official client; null in an installed package, which does not include that client. */
async function loadOfficial() {
  try {
    const [{ Client }, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { Client, StdioClientTransport };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return null;
  }
}

async function openClient({ root: cwd, env }, name, official) {
  if (official === null) return speak(cwd, env, name);
  const client = new official.Client({ name, version: '1' });
  await client.connect(
    new official.StdioClientTransport({ command: process.execPath, args: [BINARY, ...SERVER], cwd, env }),
  );
  return {
    name,
    how: 'the official client of the protocol',
    call: async (tool, given) => (await client.callTool({ name: tool, arguments: given })).structuredContent,
    close: () => client.close(),
  };
}

/** Speaks the protocol by hand, one line per message. */
async function speak(cwd, env, name) {
  const server = spawn(process.execPath, [BINARY, ...SERVER], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.on('close', resolve));
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (id, method, params) => {
    send({ id, method, params });
    const { value, done } = await lines.next();
    if (done) throw new StandInError(`the server of ${name} has ended`);
    return JSON.parse(value).result;
  };
  const clientInfo = { name, version: '1' };
  await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  let id = 0;
  return {
    name,
    how: 'the protocol by hand',
    async call(tool, given) {
      id += 1;
      return (await ask(id, 'tools/call', { name: tool, arguments: given })).structuredContent;
    },
    async close() {
      server.stdin.end();
      check(await ended, 0, `the server of ${name} ends with its input`);
    },
  };
}
