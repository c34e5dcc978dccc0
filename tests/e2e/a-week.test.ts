import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../adversarial/binary/victims.js';
import { type Step, stepsOf, take } from '../contract/docs/walk.js';
import { type Action, StandIn } from '../support/agent.mjs';
import { CHANGES } from '../support/changes.mjs';
import { ClaudeSession } from '../support/claude-session.mjs';
import type { Crew } from '../support/crew.mjs';
import { createModel } from '../support/model.mjs';
import { View } from '../support/page.js';
import { BINARY, CHECKOUT, createProject, type Project } from '../support/project.mjs';
import { startProvider } from '../support/provider.mjs';
import { findRealTerminal, NO_TERMINAL } from '../support/terminal.mjs';

/** Plays the week of docs/a-week.md: runs its commands in order, and between them does what its agents would do. */

const RUN = 'delete-todos-1';
const CHANGE = CHANGES.middle;
const NOTE = 'Name the answers in the README';
const CODEX = { CODEX_THREAD_ID: '019f0000-0000-7000-8000-000000000000' };
const skipped = findRealTerminal() === null;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/**
 * Returns a function that runs the page's next commands and writes its files, up to the one that begins with `last`.
 */
function walkPage(project: Project): (last: string) => void {
  const left: Step[] = stepsOf('docs/a-week.md');
  return (last) => {
    for (;;) {
      const step = left.shift();
      if (step === undefined) throw new Error(`the page does not have: ${last}`);
      expect(take(step, project)).toBeNull();
      if ((step.kind === 'file' ? step.path : step.command).startsWith(last)) return;
    }
  };
}

function dev(project: Project, line: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: project.root,
    env: project.env,
    encoding: 'utf8',
  });
  expect(status, `${line}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

function commit(project: Project, message: string): void {
  dev(project, `git add --all && git commit --quiet --message "${message}"`);
  expect(dev(project, 'git status --porcelain')).toBe('');
}

/** Calls tools of the shared plan over MCP, on a server started for these calls. */
function callTools(project: Project, calls: [string, object][]): Record<string, unknown>[] {
  const clientInfo = { name: 'claude-code', version: '1' };
  const messages = [
    { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    ...calls.map(([name, given], at) => ({ id: at + 1, method: 'tools/call', params: { name, arguments: given } })),
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { stdout } = spawnSync(process.execPath, [BINARY, 'mcp', '--tools', 'memory,neutral'], {
    cwd: project.root,
    env: project.env,
    encoding: 'utf8',
    input,
  });
  const answers = stdout.trim().split('\n');
  return answers.slice(1).map((line) => JSON.parse(line).result.structuredContent);
}

function tasksOf(project: Project): string[] {
  const [answer] = callTools(project, [['task_list', {}]]);
  return ((answer?.['tasks'] ?? []) as { status: string }[]).map(({ status }) => status);
}

/** A session of Claude Code plans with the shared plan's tools. */
function planIn(project: Project): void {
  const session = new ClaudeSession(project, '3f7deab2-1267-461e-999b-b220deca0696');
  session.start('startup');
  session.ask(CHANGE.goal);
  const { todos } = CHANGE.plan(0) as { todos: { title: string; steps: string[] }[] };
  const tasks = todos.map(({ title, steps }, at): [string, object] => [
    'task_add',
    { title, context: steps.join('\n'), acceptance: 'npm test passes', deps: at === 0 ? [] : [at] },
  ]);
  const issue = 'What does DELETE /todos do without a filter?';
  const said = callTools(project, [
    [
      'plan_start',
      { topic: 'Let clients remove to-dos', issues: [issue], research_summary: 'src/app.js reads bodies.' },
    ],
    ['plan_decide', { issue_id: 1, summary: 'It is refused.' }],
    ...tasks,
  ]);
  expect(said.map((one) => one['error'])).toEqual([undefined, undefined, undefined, undefined]);
}

/** Returns the change's crew. It expects todos named todo-N, but the shared plan names them task-N. */
function createCrew(): Crew {
  const crew = CHANGE.crew();
  const worker: Crew['worker'] = (task, root) =>
    crew.worker({ ...task, todoId: (task.todoId ?? '').replace('task-', 'todo-') }, root);
  return { ...crew, worker };
}

function treeOf(project: Project): string {
  const list = execFileSync('git', ['worktree', 'list', '--porcelain'], { cwd: project.root, encoding: 'utf8' });
  const tree = /^worktree (.*delete-todos-1)$/m.exec(list)?.[1];
  if (tree === undefined) throw new Error(`no work tree of the attempt: ${list}`);
  return tree;
}

/** Serves a scripted model to `drive`; before each answer, it waits for the returned object's `onAsk`. */
async function serveModel(project: Project) {
  const stage = { onAsk: async (_: string): Promise<void> => {} };
  let model: ReturnType<typeof createModel> | undefined;
  const served = await startProvider({
    key: 'a-secret',
    wire: 'anthropic',
    async answer(request) {
      model ??= createModel({ ...project, root: treeOf(project) }, RUN, { change: CHANGE, crew: createCrew() });
      await stage.onAsk(request.messages[0]?.texts.join('\n') ?? '');
      return model(request);
    },
  });
  open.push(served.close);
  project.env['DRIVE_KEY'] = 'a-secret';
  const directory = join(project.home, '.config/dev-cli');
  mkdirSync(directory, { recursive: true });
  const lines = [
    'model: local/script',
    'sandbox: off',
    `providers: { local: { api: anthropic, baseURL: "${served.url}", key: { env: DRIVE_KEY } } }`,
    'models: { local/script: { window: 200000, input: 1, output: 2 } }',
  ];
  writeFileSync(join(directory, 'runtime.yaml'), `${lines.join('\n')}\n`);
  return stage;
}

/** Answers the gate in the page, and confirms with the number that the terminal shows. */
async function answerInPage(project: Project): Promise<void> {
  const view = new View(project, [RUN], { terminal: true });
  open.push(() => view.stop());
  await view.enter();
  const page = (await view.ask(`/runs/${RUN}`)).json();
  const { actionId, digest } = page['decision'] as { actionId: string; digest: string };
  const sent = await view.ask(`/runs/${RUN}/answer`, { body: { actionId, digest, choice: 'approve' } });
  expect(sent.status, sent.text).toBe(200);
  await eventually(`the number is shown: ${view.shown}`, () => view.number !== '');
  const confirmed = await view.ask(`/runs/${RUN}/confirm`, { body: { id: sent.json()['id'], number: view.number } });
  expect(confirmed.status, confirmed.text).toBe(200);
  view.type('q');
  expect(await view.end()).toBe(0);
}

/** Plays the night: kills `auto` when its session asks the model, and kills the session once task-1 is committed. */
async function playNight(project: Project, stage: { onAsk: (told: string) => Promise<void> }): Promise<void> {
  const auto = spawn(process.execPath, [BINARY, 'auto', '--recursive'], {
    cwd: project.root,
    env: project.env,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => auto.on('close', (_, signal) => resolve(signal)));
  const reached = new Promise<void>((resolve) => {
    stage.onAsk = (told) => {
      auto.kill('SIGKILL');
      if (!told.startsWith('# task-2')) return Promise.resolve();
      resolve();
      return new Promise(() => {});
    };
  });
  expect(await ended).toBe('SIGKILL');
  await reached;
  const session = join(project.root, '.dev/loop/attempts/delete-todos/1/session-2');
  const { pgid } = JSON.parse(readFileSync(join(session, 'started.json'), 'utf8')) as { pgid: number };
  process.kill(-pgid, 'SIGKILL');
  await eventually('the end of the session is on record', () => existsSync(join(session, 'exit.json')));
}

/** Returns what the installed hooks tell a Codex session when it begins. */
function beginCodex(project: Project): string {
  const recorded = readFileSync(join(CHECKOUT, 'tests/fixtures/harness/codex.jsonl'), 'utf8').split('\n');
  const payload = recorded.find((line) => line.includes('"SessionStart"'))?.replaceAll('/project', project.root);
  const { hooks } = JSON.parse(readFileSync(join(project.root, '.codex/hooks.json'), 'utf8')) as {
    hooks: { SessionStart: { hooks: { command: string }[] }[] };
  };
  const command = hooks.SessionStart[0]?.hooks[0]?.command ?? '';
  const { stdout } = spawnSync('sh', ['-c', command], {
    cwd: project.root,
    env: project.env,
    encoding: 'utf8',
    input: payload ?? '',
  });
  return stdout;
}

/** Plays Codex in the attempt's tree, from `first` or the pending action, until `stops` holds for an action. */
function goOnInCodex(project: Project, stops: (action: Action) => boolean, first?: Action) {
  const prompts: string[] = [];
  const agent = new StandIn({
    project: { ...project, root: treeOf(project), env: { ...project.env, ...CODEX } },
    cwd: project.root,
    change: CHANGE,
    crew: createCrew(),
    name: RUN,
    scenario: {
      before(action) {
        for (const { promptFile } of action.tasks ?? []) prompts.push(readFileSync(promptFile, 'utf8'));
        return stops(action) ? 'stop' : undefined;
      },
    },
  });
  return { agent, prompts, action: agent.drive(first) };
}

const isReview = ({ tasks = [] }: Action) => tasks.some(({ substep }) => substep === 'codeReview');

it.skipIf(skipped)(
  `the week of docs/a-week.md goes as the page says${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  async () => {
    const project = createProject();
    open.push(() => project.remove());
    const stage = await serveModel(project);
    const upTo = walkPage(project);
    const page = readFileSync(join(CHECKOUT, 'docs/a-week.md'), 'utf8');

    // Monday.
    upTo('dev-cli install');
    expect(dev(project, 'dev-cli init')).toContain('.ai/goals.yaml');
    upTo('.ai/goals.yaml');
    planIn(project);
    upTo('dev-cli plan import');
    const line = /``(- ac-2: .*)``/.exec(page)?.[1] ?? '';
    const plan = join(project.root, '.dev/specs/delete-todos/PLAN.md');
    const [before = '', after = ''] = readFileSync(plan, 'utf8').split('### [ ] task-2');
    const acceptance = '- ac-1, agent: npm test passes\n';
    writeFileSync(plan, `${before}### [ ] task-2${after.replace(acceptance, `${acceptance}${line}\n`)}`);
    upTo('dev-cli plan apply');
    commit(project, 'Plan: let clients remove to-dos');
    upTo('dev-cli auto');
    expect(dev(project, 'dev-cli inbox list')).toContain(`dev-cli approve ${RUN}`);
    await answerInPage(project);
    await playNight(project, stage);

    // Tuesday.
    expect(dev(project, 'dev-cli observe')).toMatch(
      /was cut off; the next auto continues it.*delete-todos#1: session/s,
    );
    upTo('dev-cli context');
    expect(dev(project, `dev-cli status ${RUN}`)).toMatch(/todos {2}1\/2 done, 1 at work/);
    expect(beginCodex(project)).toContain(`dev-cli next ${RUN}`);
    const { agent, action, prompts } = goOnInCodex(project, isReview);
    expect(prompts[0]).toMatch(/^# task-2/);
    expect(prompts[0]).toContain(treeOf(project));
    upTo('dev-cli nexus report');
    expect(tasksOf(project)).toEqual(['completed', 'completed']);

    // Wednesday. The run is held, so a batch that somebody starts meanwhile leaves it alone.
    upTo('dev-cli hold');
    expect(agent.step(action)).toMatchObject({ action: 'held', by: 'human' });
    const meanwhile = spawnSync(process.execPath, [BINARY, 'auto', '--recursive'], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    });
    expect(meanwhile.stdout).toMatch(/the run is held: The README does not say enough\n {4}dev-cli release /);
    upTo('dev-cli step undo');
    dev(project, `dev-cli nexus report ${RUN}`);
    expect(tasksOf(project)).toEqual(['completed', 'pending']);
    const released = findRealTerminal()?.(`dev-cli release ${RUN}`, {
      cwd: project.root,
      env: project.env,
      answers: ['yes'],
    });
    expect(released?.output).toContain(`${RUN} is released.`);

    // Thursday.
    const again = goOnInCodex(project, () => false);
    expect(again.action).toMatchObject({ done: true, outcome: 'completed' });
    expect(again.prompts[0]).toContain(NOTE);
    upTo('dev-cli auto');
    dev(project, `dev-cli nexus report ${RUN}`);
    expect(tasksOf(project)).toEqual(['completed', 'completed']);
    expect(callTools(project, [['task_close', {}]])).toMatchObject([{ archived: { plan: true, tasks: 2 } }]);
    expect(dev(project, 'git log --grep=Dev-Cli-Goal --format=%s')).toBe(
      'feat(delete-todos): Let clients remove to-dos\n',
    );
    dev(project, 'npm test');
    const late = spawnSync(process.execPath, [BINARY, 'step', 'undo', RUN, '--todo', 'task-2'], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    });
    expect(late.status).toBe(4);
    expect(JSON.parse(late.stdout).error.fix).toContain("git log --grep '^Dev-Cli-Goal: delete-todos$'");

    // The handoff for the next session, which asks for its context on Monday.
    upTo('dev-cli handoff write');
    commit(project, 'Clients can remove to-dos');
    upTo('dev-cli context');
    upTo('dev-cli history');
    expect(dev(project, `dev-cli status ${RUN}`)).toMatch(/completed.*todos {2}2\/2 done.*1 command green/s);
    expect(dev(project, 'dev-cli memory show --text')).toContain('DELETE /todos without done=true is refused');
    expect(dev(project, 'dev-cli replay delete-todos-1 --check')).toContain('delete-todos-1');
  },
  300_000,
);
