import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { callDoor } from '../../support/door.js';
import { createModel } from '../../support/model.mjs';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { type Script, startProvider } from '../../support/provider.mjs';
import { chosenSeed, seeded } from '../../support/seeded.js';
import { findTerminal } from '../../support/terminal.mjs';

/** Drives a run to its end with a scripted model and the real binary, git and tests (runtime.md, Driving). */

/** The APIs of model services. One chosen at random is tried; with DEV_CLI_WIRES=all, each of them. */
const ALL = ['anthropic', 'openai', 'google', 'chat'] as const;
const WIRES = process.env['DEV_CLI_WIRES'] === 'all' ? ALL : [seeded(chosenSeed()).pick(ALL)];

type Served = Awaited<ReturnType<typeof startProvider>>;
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function begin(wire: (typeof ALL)[number], answer: (project: Project) => Script) {
  const project = createProject();
  const served = await startProvider({ answer: answer(project), key: 'a-secret', wire });
  project.env['DRIVE_KEY'] = 'a-secret';
  open.push(served.close, () => project.remove());
  const config = join(project.home, 'runtime.yaml');
  const lines = [
    'model: local/tiny',
    'mode: danger-full-access',
    // Off, because the commands count their executions in a file outside the project.
    'sandbox: off',
    `providers: { local: { api: ${wire}, baseURL: "${served.url}", key: { env: DRIVE_KEY } } }`,
    'models: { local/tiny: { window: 200000, input: 1, output: 2 } }',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const run = (...args: string[]) => call(project, args);
  const drive = (name: string, ...more: string[]) => run('drive', name, '--config', config, '--json', ...more);
  return { project, served, config, run, drive };
}

/** Runs the binary while this process serves its model; kills the binary once `until` holds. */
function call(project: Project, args: readonly string[], until?: () => boolean) {
  const child = spawn(process.execPath, [BINARY, ...args], { cwd: project.root, env: project.env });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  const watch = setInterval(() => until?.() === true && child.kill('SIGKILL'), 5);
  return new Promise<{ exit: number | null; json: Record<string, unknown>; stdout: string; stderr: string }>(
    (resolve) => {
      child.on('close', (exit) => {
        clearInterval(watch);
        let json = {};
        try {
          json = JSON.parse(stdout) as Record<string, unknown>;
        } catch {
          // The call printed text, or was killed.
        }
        resolve({ exit, json, stdout, stderr });
      });
    },
  );
}

const after = (milliseconds: number) => {
  const from = Date.now();
  return () => Date.now() - from > milliseconds;
};

const usedBy = ({ billed }: Served) => ({
  input_tokens: billed.input,
  output_tokens: billed.output,
  cache_read_input_tokens: billed.cacheRead,
  cache_creation_input_tokens: billed.cacheWrite,
});

const GOAL = ['--goal', 'Add JWT auth to the API'];
const PLAN = ['init', 'add-jwt-auth', '--recipe', 'specify-quick-autopilot', ...GOAL];

describe.each(WIRES)('drive, through %s', (wire) => {
  it('plans on its own: the run ends, and the bill is what the provider has counted', async () => {
    const { run, drive, served } = await begin(wire, (project) => createModel(project, 'add-jwt-auth'));
    await run(...PLAN);
    const { exit, json, stderr } = await drive('add-jwt-auth');
    expect({ exit, status: json['status'], stderr }).toEqual({ exit: 0, status: 'completed', stderr: '' });
    expect(json['usage']).toEqual(usedBy(served));
    expect(json['requests']).toBe(served.requests.length);
    const bill = await run('session', 'list', '--run', 'add-jwt-auth', '--json');
    expect(bill.json['usage']).toEqual(json['usage']);
    expect((await run('plan', 'validate', 'add-jwt-auth', '--json')).exit).toBe(0);
  }, 120_000);

  it('carries a plan out with a model that errs, killed in a command: each todo is a commit, nothing runs twice', async () => {
    const slips = new Map<string, string>();
    const counterOf = ({ home }: Project) => join(home, 'commands');
    const { project, run, config, drive, served } = await begin(wire, (one) => {
      const onSlip = (slip: string, output: string) => void slips.set(slip, output);
      return createModel(one, 'add-jwt-auth', { habits: { counter: counterOf(one), onSlip } });
    });
    const counter = counterOf(project);
    await run(...PLAN);
    expect((await drive('add-jwt-auth')).json['status']).toBe('completed');
    const begun = await run('init', 'add-jwt-auth', '--execute', '--quick', '--set', 'approve_commands=auto');
    expect(begun.exit).toBe(0);
    // Kills `drive` while a test command of the model runs, so that no answer of the model is in transit and gets lost.
    const cut = await call(project, ['drive', 'add-jwt-auth', '--config', config], () => existsSync(counter));
    expect(cut.exit).toBeNull();
    const { exit, json, stderr } = await drive('add-jwt-auth');
    expect({ exit, status: json['status'], reason: json['reason'], waiting: json['waiting'], stderr }).toEqual({
      exit: 0,
      status: 'completed',
      stderr: '',
    });
    expect(Object.fromEntries(slips)).toEqual({
      argument: expect.stringMatching(/^not run: the input does not fit: it must have "path"/),
      outside: expect.stringMatching(/^dev-cli: src\/store\.js is in no todo that is at work/),
      test: expect.stringMatching(/\[exit 1\]$/),
    });
    const commands = readFileSync(counter, 'utf8').trim().split('\n');
    expect(commands.toSorted()).toEqual(['todo-1-1', 'todo-2-1', 'todo-2-2', 'todo-3-1', 'todo-4-1', 'todo-5-1']);
    const log = execFileSync('git', ['log', '--format=%B'], { cwd: project.root, encoding: 'utf8' });
    const todos = [...log.matchAll(/^Dev-Cli-Task: .*(todo-\d)$/gm)].map(([, todo]) => todo);
    expect(todos.toSorted()).toEqual(['todo-1', 'todo-2', 'todo-3', 'todo-4', 'todo-5']);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: project.root, encoding: 'utf8' })).toBe('?? .dev/\n');
    const bill = await run('session', 'list', '--run', 'add-jwt-auth', '--json');
    expect(bill.json['usage']).toEqual(usedBy(served));
    expect((await run('replay', 'add-jwt-auth', '--check', '--json')).exit).toBe(0);
  }, 120_000);

  it('ends before a limit is passed, and with more goes on in the same sessions', async () => {
    const { run, drive, served } = await begin(wire, (project) => createModel(project, 'add-jwt-auth'));
    await run(...PLAN);
    const first = await drive('add-jwt-auth', '--max-tokens', '25000');
    expect(first).toMatchObject({ exit: 3, json: { status: 'budget' } });
    const used = Object.values(usedBy(served)).reduce((sum, one) => sum + one, 0);
    expect(used).toBeLessThanOrEqual(25_000);
    const second = await drive('add-jwt-auth', '--max-tokens', '1000000');
    expect(second.json['status']).toBe('completed');
    expect(second.json['requests']).toBe(served.requests.length);
  }, 120_000);

  it('goes on after kill -9, and asks for nothing twice that was answered', async () => {
    const { project, run, config, drive, served } = await begin(wire, (one) => createModel(one, 'add-jwt-auth'));
    await run(...PLAN);
    for (const time of [600, 900, 1_200])
      await call(project, ['drive', 'add-jwt-auth', '--config', config], after(time));
    const { json } = await drive('add-jwt-auth');
    expect(json['status']).toBe('completed');
    // Each kill may lose one answer, whose request is then sent again, so the counts may differ by three.
    expect(Number(json['requests'])).toBeGreaterThanOrEqual(served.requests.length - 3);
    expect((await run('replay', 'add-jwt-auth', '--check', '--json')).exit).toBe(0);
  }, 120_000);

  it.skipIf(findTerminal() === null)(
    'has the commands of a run see none of its keys',
    async () => {
      const { project, run, drive } = await begin(wire, () => () => ({
        calls: [{ name: 'finish', input: { reason: 'Done.' } }],
      }));
      mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
      const recipe = ['name: mini', 'type: sequential', 'blocks:', '  - { id: ask, type: llm, instruction: Do it. }'];
      recipe.push('  - { id: show, type: cli, command: "env > seen.txt", shell: true }');
      writeFileSync(join(project.root, '.dev/recipes/mini.yaml'), `${recipe.join('\n')}\n`);
      callDoor({ argv: ['trust', 'mini'], cwd: project.root, env: project.env, typed: ['yes'] });
      expect(await run('init', 'mini-run', '--recipe', 'mini', ...GOAL)).toMatchObject({ exit: 0 });
      const { exit, json, stderr } = await drive('mini-run');
      expect({ exit, status: json['status'], stderr }).toEqual({ exit: 0, status: 'completed', stderr: '' });
      const seen = readFileSync(join(project.root, 'seen.txt'), 'utf8');
      expect(seen).toMatch(/^PATH=/m);
      expect(seen).not.toContain('a-secret');
    },
    120_000,
  );

  it('parks where a person has to answer, says with which command, and goes on after it', async () => {
    const { project, config, run, drive, served } = await begin(wire, (one) => createModel(one, 'add-jwt-auth'));
    await run('init', 'add-jwt-auth', '--recipe', 'specify-quick-interactive', ...GOAL);
    const person = new StandIn({ project, name: 'add-jwt-auth' });
    const asked: unknown[] = [];
    for (let end = await drive('add-jwt-auth'); end.exit === 3; end = await drive('add-jwt-auth')) {
      expect(end.json).toMatchObject({ status: 'waiting', waiting: { message: expect.any(String) } });
      const sent = served.requests.length;
      expect((await drive('add-jwt-auth')).json['waiting']).toEqual(end.json['waiting']);
      expect(served.requests.length).toBe(sent);
      const action = person.recall();
      expect(end.json['waiting']).toMatchObject({ actionId: action.actionId });
      const told = await run('drive', 'add-jwt-auth', '--config', config, '--text');
      expect(told.stdout).toMatch(/^(?:answer|[^:\n]+): dev-cli .+$/m);
      expect(told.stdout).toMatch(/^then: dev-cli drive add-jwt-auth$/m);
      const events = await run('drive', 'add-jwt-auth', '--config', config, '--json', '--events');
      expect({ exit: events.exit, end: events.stdout.trim().split('\n').at(-1) }).toEqual({
        exit: 3,
        end: expect.stringContaining('"status":"waiting"'),
      });
      asked.push(action.block);
      person.step(action);
    }
    expect(asked).toEqual(['interview', 'decision-confirm', 'approve-plan']);
    const { exit, json } = await drive('add-jwt-auth');
    expect({ exit, status: json['status'] }).toEqual({ exit: 0, status: 'completed' });
  }, 120_000);
});
