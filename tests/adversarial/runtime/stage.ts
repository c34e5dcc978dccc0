import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/base/sha256.js';
import { createModel } from '../../support/model.mjs';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { type Request, type Script, type Step, startProvider } from '../../support/provider.mjs';

/** Helpers for runs that the real binary drives with a scripted model, that tests disturb, and that are then judged. */

type Served = Awaited<ReturnType<typeof startProvider>>;

export const RUN = 'add-jwt-auth';
/** The usage that each answer reports. It is always the same, so the number of answers can be read from a bill. */
const USAGE = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };

/** A call of the binary that has ended. `json`: its answer; `{}` if it printed none. */
export interface Ended {
  exit: number | null;
  json: Answer;
  stdout: string;
  stderr: string;
}

/** The members that tests use in the answers of `drive`, `prompt` and `session …`. */
interface Answer {
  ok?: boolean;
  status?: string;
  reason?: string;
  session?: string;
  message?: string;
  requests?: number;
  unanswered?: number;
  usage?: { input_tokens: number };
  sessions?: { id: string; closed: boolean }[];
  waiting?: { actionId: string; message: string; answer?: string };
  error?: { code: string; message: string; fix?: string };
  tool_results?: { output: string; is_error: boolean }[];
  warnings?: string[];
}

interface Called {
  child: ChildProcess;
  ended: Promise<Ended>;
}

export interface Stage {
  project: Project;
  served: Served;
  config: string;
  /** A file outside the project, to which each command that the model runs adds a line. */
  counter: string;
  start: (args: readonly string[], env?: NodeJS.ProcessEnv) => Called;
  run: (...args: string[]) => Promise<Ended>;
  drive: (...more: string[]) => Promise<Ended>;
  /** Starts `drive`. `env` is added to the project's environment; `by` is the command that runs the binary. */
  startDrive: (env?: NodeJS.ProcessEnv, by?: readonly string[]) => Called;
  /** Closes the stage before the test ends; may be called twice. */
  close(): Promise<void>;
}

/**
 * Creates a project and a model for it, which last until the test ends.
 * @param script creates the model's script from the project and the path of the counter
 * @param lines more lines of configuration
 */
export async function openStage(
  script: (project: Project, counter: string) => Script = driveAsAsked,
  lines: readonly string[] = [],
): Promise<Stage> {
  const project = createProject();
  const counter = join(project.home, 'counter');
  const answer = script(project, counter);
  const metered: Script = async (request, n) => ({ usage: USAGE, ...(await answer(request, n)) });
  const served = await startProvider({ answer: metered, key: null });
  const config = join(project.home, 'runtime.yaml');
  const base = [
    'model: local/tiny',
    'mode: danger-full-access',
    'sandbox: off',
    `providers: { local: { api: chat, baseURL: "${served.url}" } }`,
    'models: { local/tiny: { window: 200000, input: 1, output: 2 } }',
  ];
  writeFileSync(config, `${[...base, ...lines].join('\n')}\n`);
  const start: Stage['start'] = (args, env = {}) => startCall(project, args, env);
  const run = (...args: string[]) => start(args).ended;
  const argv = ['drive', RUN, '--config', config, '--json'];
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await served.close();
    project.remove();
  };
  onTestFinished(close);
  return {
    close,
    ...{ project, served, config, counter, start, run },
    drive: (...more) => run(...argv, ...more),
    startDrive: (env = {}, by) => startCall(project, argv, env, by),
  };
}

/** Opens a stage with a planning run of a recipe. */
export async function beginRun(
  recipe = 'specify-quick-autopilot',
  script?: Parameters<typeof openStage>[0],
): Promise<Stage> {
  const stage = await openStage(script);
  expect((await stage.run('init', RUN, '--recipe', recipe, '--goal', 'Add JWT auth to the API')).exit).toBe(0);
  return stage;
}

/** Creates a script that acts as an agent would; each session begins with a command that adds a line to the counter. */
export function driveAsAsked(project: Project, counter: string): Script {
  const model = createModel(project, RUN);
  return (request) => {
    const told = request.messages[0]?.texts.join('\n') ?? '';
    if (request.messages.length === 1)
      return { calls: [{ name: 'bash', input: { command: `echo ${sha256(told).slice(0, 12)} >> ${counter}` } }] };
    try {
      return model(request.messages.length === 3 ? firstOf(request) : request);
    } catch (error) {
      // Somebody else has ended the run.
      if (!String(error).includes('"done"')) throw error;
      return { calls: [{ name: 'finish', input: { reason: 'It is done.' } }] };
    }
  };
}

/** Reduces a request to its first message, so that the model does not see the command for the counter. */
const firstOf = (request: Request): Request => ({ ...request, messages: request.messages.slice(0, 1) });

/** Creates a script that answers with these steps in order, then repeats the last. */
export const inOrder =
  (...steps: [Step, ...Step[]]): (() => Script) =>
  () =>
  (_request, n) =>
    steps[Math.min(n, steps.length - 1)] as Step;

function startCall(
  project: Project,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  [program = '', ...before]: readonly string[] = [process.execPath, BINARY],
): Called {
  const child = spawn(program, [...before, ...args], {
    cwd: project.root,
    env: { ...project.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exit) => resolve({ exit, json: parse(stdout), stdout, stderr }));
  });
  return { child, ended };
}

function parse(stdout: string): Answer {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Answer;
  } catch {
    // The output is text, or comes from a killed call.
    return {};
  }
}

/** Returns the lines of the counter. */
export const readCounter = ({ counter }: Pick<Stage, 'counter'>): string[] =>
  existsSync(counter) ? readFileSync(counter, 'utf8').trimEnd().split('\n') : [];

/** Returns the problems of a run that was driven to its end, with any number of interruptions. */
export async function findFaults(stage: Stage, last: Ended): Promise<string[]> {
  const faults: string[] = [];
  const need = (holds: boolean, fault: string): void => void (holds || faults.push(fault));
  need(
    last.exit === 0 && last.json.status === 'completed',
    `the last drive: ${last.exit} ${last.stdout}${last.stderr}`,
  );
  const replayed = await stage.run('replay', RUN, '--check', '--json');
  need(replayed.exit === 0, `replay: ${replayed.stdout}`);
  const lines = readCounter(stage);
  need(lines.length > 0, 'no command ran');
  need(new Set(lines).size === lines.length, `run twice: ${lines.filter((one, at) => lines.indexOf(one) !== at)}`);
  const refused = stage.served.requests.filter(({ status }) => status !== 200 && status !== 404);
  need(refused.length === 0, `refused: ${refused[0]?.status} ${refused[0]?.body.slice(-2_000)}`);
  faults.push(...(await findBillFaults(stage)));
  const { json } = await stage.run('session', 'list', '--run', RUN, '--json');
  for (const { id, closed } of json.sessions ?? []) if (closed) faults.push(...(await findUnpaired(stage, id)));
  return faults;
}

/** Checks that the bill contains every answer, except those that are reported as lost. */
async function findBillFaults({ run, served }: Stage): Promise<string[]> {
  const { json } = await run('session', 'list', '--run', RUN, '--json');
  const rows = (json.sessions ?? []) as unknown as { requests: number; unanswered: number }[];
  const [asked, lost] = [sum(rows, ({ requests }) => requests), sum(rows, ({ unanswered }) => unanswered)];
  const billed = (json.usage?.input_tokens ?? 0) / USAGE.input;
  const told = `bill ${billed}, provider ${served.billed.requests}, asked ${asked}, unanswered ${lost}`;
  return [
    ...(billed >= served.billed.requests - lost ? [] : [`the bill is short: ${told}`]),
    ...(billed <= served.billed.requests ? [] : [`the bill is long: ${told}`]),
    ...(asked >= served.requests.length ? [] : [`requests that nobody tells of: ${told}`]),
  ];
}

async function findUnpaired({ run }: Stage, id: string): Promise<string[]> {
  const { stdout } = await run('session', 'export', id);
  type Block = { type: string; id?: string; tool_use_id?: string };
  const { messages } = JSON.parse(stdout) as { messages: { role: string; blocks: Block[] }[] };
  return messages.flatMap(({ blocks }, at) => {
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const results = (messages[at + 1]?.blocks ?? []).flatMap(({ tool_use_id: call }) => call ?? []);
    return calls.join() === results.join() ? [] : [`${id}: calls ${calls}, results ${results}`];
  });
}

const sum = <T>(rows: readonly T[], of: (row: T) => number): number => rows.reduce((total, row) => total + of(row), 0);

/** Repeats the counter's last line, as a command that runs twice would. */
export const doubleLastLine = (stage: Stage): void =>
  appendFileSync(stage.counter, `${readCounter(stage).at(-1) ?? ''}\n`);
