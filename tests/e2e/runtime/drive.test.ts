import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createModel } from '../../support/model.mjs';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { type Script, startProvider } from '../../support/provider.mjs';

/** A run driven to its end by a scripted model, with the real binary, git and tests (runtime.md, Driving). */

type Served = Awaited<ReturnType<typeof startProvider>>;
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function begin(answer: (project: Project) => Script) {
  const project = createProject();
  const served = await startProvider({ answer: answer(project), key: null });
  open.push(served.close, () => project.remove());
  const config = join(project.home, 'runtime.yaml');
  const lines = [
    'model: local/tiny',
    'mode: danger-full-access',
    `providers: { local: { api: chat, baseURL: "${served.url}" } }`,
    'models: { local/tiny: { window: 200000, input: 1, output: 2 } }',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const run = (...args: string[]) => call(project, args);
  const drive = (name: string, ...more: string[]) => run('drive', name, '--config', config, '--json', ...more);
  return { project, served, config, run, drive };
}

/** Calls the binary, while this process goes on serving. */
function call(project: Project, args: readonly string[], after?: number) {
  const child = spawn(process.execPath, [BINARY, ...args], { cwd: project.root, env: project.env });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  if (after !== undefined) setTimeout(() => child.kill('SIGKILL'), after);
  return new Promise<{ exit: number | null; json: Record<string, unknown>; stdout: string; stderr: string }>(
    (resolve) => {
      child.on('close', (exit) => {
        let json = {};
        try {
          json = JSON.parse(stdout) as Record<string, unknown>;
        } catch {
          // A text, or a call that was killed.
        }
        resolve({ exit, json, stdout, stderr });
      });
    },
  );
}

const usedBy = ({ billed }: Served) => ({
  input_tokens: billed.input,
  output_tokens: billed.output,
  cache_read_input_tokens: billed.cacheRead,
  cache_creation_input_tokens: billed.cacheWrite,
});

describe('drive', () => {
  it('plans on its own: the run ends, and the bill is what the provider has counted', async () => {
    const { run, drive, served } = await begin((project) => createModel(project, 'add-jwt-auth'));
    await run('init', 'add-jwt-auth', '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth to the API');
    const { exit, json, stderr } = await drive('add-jwt-auth');
    expect({ exit, status: json['status'], stderr }).toEqual({ exit: 0, status: 'completed', stderr: '' });
    expect(json['usage']).toEqual(usedBy(served));
    expect(json['requests']).toBe(served.requests.length);
    const bill = await run('session', 'list', '--run', 'add-jwt-auth', '--json');
    expect(bill.json['usage']).toEqual(json['usage']);
    expect((await run('plan', 'validate', 'add-jwt-auth', '--json')).exit).toBe(0);
  }, 120_000);

  it('carries a plan out: each todo is a commit with its evidence, made by dev-cli, and the tests are green', async () => {
    const { project, run, drive } = await begin((one) => createModel(one, 'add-jwt-auth'));
    await run('init', 'add-jwt-auth', '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth to the API');
    await drive('add-jwt-auth');
    const begun = await run('init', 'add-jwt-auth', '--execute', '--quick', '--set', 'approve_commands=auto');
    expect(begun.exit).toBe(0);
    const { exit, json, stderr } = await drive('add-jwt-auth');
    expect({ exit, status: json['status'], reason: json['reason'], waiting: json['waiting'], stderr }).toMatchObject({
      exit: 0,
      status: 'completed',
      stderr: '',
    });
    const log = execFileSync('git', ['log', '--format=%B'], { cwd: project.root, encoding: 'utf8' });
    expect(log.match(/^Dev-Cli-Task: /gm)?.length).toBeGreaterThan(1);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: project.root, encoding: 'utf8' })).toBe('?? .dev/\n');
  }, 120_000);

  it('ends before a limit is passed, and with more goes on in the same sessions', async () => {
    const { run, drive, served } = await begin((project) => createModel(project, 'add-jwt-auth'));
    await run('init', 'add-jwt-auth', '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth to the API');
    const first = await drive('add-jwt-auth', '--max-tokens', '25000');
    expect(first).toMatchObject({ exit: 3, json: { status: 'budget' } });
    expect(served.billed.input + served.billed.output).toBeLessThanOrEqual(25_000);
    const second = await drive('add-jwt-auth');
    expect(second.json['status']).toBe('completed');
    expect(second.json['requests']).toBe(served.requests.length);
  }, 120_000);

  it('goes on after kill -9, and asks for nothing twice that was answered', async () => {
    const { project, run, config, drive, served } = await begin((one) => createModel(one, 'add-jwt-auth'));
    await run('init', 'add-jwt-auth', '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth to the API');
    for (const after of [600, 900, 1_200]) await call(project, ['drive', 'add-jwt-auth', '--config', config], after);
    const { json } = await drive('add-jwt-auth');
    expect(json['status']).toBe('completed');
    // What nobody saw answered is sent again, and told.
    expect(Number(json['requests'])).toBeGreaterThanOrEqual(served.requests.length - 3);
    expect((await run('replay', 'add-jwt-auth', '--check', '--json')).exit).toBe(0);
  }, 120_000);

  it('parks where a person has to answer, and says with which command', async () => {
    const { run, drive } = await begin((project) => createModel(project, 'add-jwt-auth'));
    await run('init', 'add-jwt-auth', '--recipe', 'specify-standard-interactive', '--goal', 'Add JWT auth to the API');
    const { exit, json } = await drive('add-jwt-auth');
    expect({ exit, status: json['status'] }).toEqual({ exit: 3, status: 'waiting' });
    expect(json['waiting']).toMatchObject({ actionId: expect.stringMatching(/^a\d+$/), message: expect.any(String) });
    expect((await drive('add-jwt-auth')).json['waiting']).toEqual(json['waiting']);
  }, 120_000);
});
