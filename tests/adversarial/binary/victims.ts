import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DISK_READER } from '../../../src/project/reader.js';
import { grantTrust } from '../../../src/project/trust.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import { type Document, devCli } from '../../support/cli.js';
import { BINARY, CHECKOUT, type Project } from '../../support/project.mjs';

/** The module that is preloaded into the binary and the runner; its first lines describe it. */
const HOOK = join(import.meta.dirname, 'hook.cjs');

/** A call of the binary in progress. */
export interface Victim {
  child: ChildProcess;
  pid: number;
  /** Resolves at the first output or, without output, at the end. */
  spoken: Promise<void>;
  hasSpoken(): boolean;
  ended: Promise<Ended>;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  /** The answer, if it was printed completely. */
  json: Document | null;
  /** The duration in milliseconds. */
  milliseconds: number;
}

/** Returns environment variables that preload the hook and tell it what to do. */
export function hooked(behaviour: Record<string, string>): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `--require=${HOOK}`, ...behaviour };
}

export function startCall(project: Project, args: string[], env: NodeJS.ProcessEnv = {}): Victim {
  const from = performance.now();
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd: project.root,
    env: { ...project.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  let speak = (): void => {};
  const spoken = new Promise<void>((resolve) => {
    speak = resolve;
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    speak();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      speak();
      resolve({ code, signal, stdout, json: wholeAnswer(stdout), milliseconds: performance.now() - from });
    });
  });
  return { child, pid: child.pid ?? -1, spoken, hasSpoken: () => stdout !== '', ended };
}

export function call(project: Project, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return startCall(project, args, env).ended;
}

function wholeAnswer(stdout: string): Document | null {
  return stdout.endsWith('\n') ? (JSON.parse(stdout) as Document) : null;
}

/** Trusts a recipe of the project, as a person at a terminal would. */
export function trusted(project: Project, recipe: string): string {
  const { digest } = requireRecipe({ reader: DISK_READER, shipped: CHECKOUT, project: project.root }, recipe);
  grantTrust(join(project.home, '.local/state/dev-cli/trusted'), digest);
  return recipe;
}

/** Whether the journal alone rebuilds the run, including its documents and contents. */
export function replays(project: Project, name: string): boolean {
  return devCli(project, ['replay', name, '--check', '--json']).json.ok === true;
}

/** Returns the pids of this project's detached runners. */
export function runnersOf(project: Project): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const words = commandLine(name);
    return words.length >= 3 && words[1]?.endsWith('/dist/runner.cjs') && words[2]?.startsWith(`${project.root}/`)
      ? [Number(name)]
      : [];
  });
}

function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    // The process has ended in the meantime.
    return [];
  }
}

/** Starts a call that hook.cjs stops at the given moment, and waits until it has stopped. */
export async function pausedAt(
  project: Project,
  moment: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Victim> {
  const victim = startCall(project, args, { ...hooked({ DEV_CLI_TEST_PAUSE: moment }), ...env });
  await eventually(`dev-cli ${args.join(' ')} stops at ${moment}`, () => isStopped(victim.pid));
  return victim;
}

export function isStopped(pid: number): boolean {
  return stateOf(pid) === 'T';
}

/** Whether a process runs and is not a zombie. */
export function isRunning(pid: number): boolean {
  return !['', 'Z', 'X'].includes(stateOf(pid));
}

function stateOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3);
  } catch {
    return '';
  }
}

/** Waits until a condition holds, for a minute at most. */
export async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (let looks = 0; !holds(); looks += 1) {
    if (looks === 6000) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Kills a process, which may already have ended. */
export function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
