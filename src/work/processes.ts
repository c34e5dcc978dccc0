import type { ChildProcess, ExecFileException, StdioOptions } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';
import { ENDING_SIGNALS } from '../base/signals.js';

/** `node:child_process`, loaded on first use because loading takes milliseconds and few acknowledgements need it. */
export const childProcess = loadLazily<typeof import('node:child_process')>('node:child_process');

/** The output of a program and, if it failed, the error. */
export interface Execution {
  error: ExecFileException | null;
  stdout: Buffer;
  stderr: Buffer;
}

export interface ExecutionOptions {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal | undefined;
  timeoutSeconds: number;
  /** Number of bytes that the program may print before it is ended. */
  maxBuffer: number;
  killSignal?: NodeJS.Signals;
  /** The program's standard input; empty by default. */
  input?: string | Buffer;
  /** Talks with the program while it runs, instead of `input`. */
  converse?: Conversation | undefined;
}

/** Writes to a program's stdin in response to its stdout; must end stdin. */
export type Conversation = (program: { stdin: Writable; stdout: Readable }) => void;

/**
 * Runs a program to its end.
 * @throws DevCliError `INTERRUPTED` if the signal aborts; does not throw if the program fails
 */
export function executeFile(
  program: string,
  args: readonly string[],
  { signal, timeoutSeconds, input, converse, ...rest }: ExecutionOptions,
): Promise<Execution> {
  // Node accepts only whole milliseconds.
  const timeout = Math.ceil(timeoutSeconds * 1000);
  const options = { ...rest, encoding: 'buffer', timeout, ...(signal && { signal }) } as const;
  return new Promise((resolve, reject) => {
    const child = childProcess().execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null || !signal?.aborted) resolve({ error, stdout, stderr });
      else reject(new DevCliError('INTERRUPTED', 'Interrupted.', { cause: error }));
    });
    // A program that does not read its input must not make the call fail.
    child.stdin?.on('error', () => {});
    if (converse !== undefined && child.stdin !== null && child.stdout !== null)
      converse({ stdin: child.stdin, stdout: child.stdout });
    else child.stdin?.end(input);
  });
}

const WITHOUT_INPUT: StdioOptions = ['ignore', 'pipe', 'pipe'];

/**
 * Runs a program to its end without input, blocking this process. Use it for every synchronous run, because it corrects
 * for sandboxes that forbid closing a pipe, where Node reports an error even if the program succeeded (Codex CLI: EPERM
 * of `shutdown`).
 * @throws DevCliError `INTERRUPTED` if one of `ENDING_SIGNALS` ended the program; does not throw if the program fails
 */
export function executeFileNow(
  program: string,
  args: readonly string[],
  { timeoutSeconds, ...rest }: Pick<ExecutionOptions, 'cwd' | 'env' | 'timeoutSeconds' | 'maxBuffer'>,
): Execution {
  const options = { ...rest, timeout: timeoutSeconds * 1000, stdio: WITHOUT_INPUT };
  const { error: reported, status, signal, stdout, stderr } = childProcess().spawnSync(program, args, options);
  // If the program ended by itself, its exit code counts, even if closing a pipe failed.
  const error = status !== null && getSystemCode(reported) === 'EPERM' ? undefined : reported;
  const killed = getSystemCode(error) === 'ETIMEDOUT';
  // A signal such as Ctrl-C reaches the whole process group, so the program ends before this process handles it.
  if (!killed && ENDING_SIGNALS.some((one) => one === signal)) throw new DevCliError('INTERRUPTED', 'Interrupted.');
  const printed = { stdout: stdout ?? Buffer.alloc(0), stderr: stderr ?? Buffer.alloc(0) };
  if (error === undefined && status === 0) return { error: null, ...printed };
  const failed: ExecFileException = error ?? new Error(`${program} failed`);
  // Describes the failure like execFile: the exit code in `code`, and whether this process ended the program.
  if (killed) delete failed.code;
  else if (error === undefined && status !== null) failed.code = status;
  return { error: Object.assign(failed, { killed, signal }), ...printed };
}

/**
 * Waits until `holds` returns true, checking every `pollMs` milliseconds.
 * @returns false if it is still false after `milliseconds`
 */
export async function waitUntil(holds: () => boolean, milliseconds: number, pollMs: number): Promise<boolean> {
  const over = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > over) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

/** Milliseconds between SIGTERM and SIGKILL for a process group. */
const GRACE_MS = 5_000;
/** Milliseconds to wait until killed processes are gone; limited because a process stuck in the kernel never ends. */
const COLLECTED_MS = 1_000;
const POLL_MS = 25;

/** Indices into the result of `readProcFields` (proc(5): fields 3, 5 and 22). */
const STATE = 0;
const GROUP = 2;
const START = 19;

/**
 * Reads the start time of a process, which distinguishes it from a later process with the same pid.
 * @returns clock ticks since boot on Linux, the time to the second elsewhere; null if no such process is alive
 */
export function readStartTime(pid: number): string | null {
  try {
    const [state, start] = process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
    return isDead(state) ? null : start;
  } catch {
    // No such process: /proc has no file for it, and ps fails.
    return null;
  }
}

function readFromProc(pid: number): [state: string, start: string] {
  const fields = readProcFields(pid);
  return [fields[STATE] ?? '', fields[START] ?? ''];
}

/** Reads the fields of /proc/<pid>/stat from the third on; the second is the program's name and may contain spaces. */
export function readProcFields(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readFromPs(pid: number): [state: string, start: string] {
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', `${pid}`];
  const [state = '', ...start] = askPs(args).trim().split(/\s+/);
  return [state, start.join(' ')];
}

/** Returns the output of ps in the C locale. @throws if ps fails, as it does if the requested process does not exist */
export function askPs(args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC0' };
  const options = { cwd: '/', env, timeoutSeconds: PS_SECONDS, maxBuffer: PS_BYTES };
  const { error, stdout } = executeFileNow('ps', args, options);
  if (error !== null) throw error;
  return stdout.toString('utf8');
}

const PS_SECONDS = 30;
const PS_BYTES = 16 * 1024 * 1024;

/** How the leader of a process group ended. */
export type GroupEnd =
  | { end: 'exit'; code: number }
  /** The time limit of `seconds` was reached, and the group was ended. */
  | { end: 'time'; seconds: number }
  | { end: 'signal'; signal: string }
  /** The call was interrupted, and the group was ended. */
  | { end: 'interrupted' }
  /** The program could not be started: `ENOENT` if it does not exist. */
  | { end: 'unstarted'; code: string };

/** Milliseconds to wait for remaining output after a program has ended. */
const AFTER_EXIT_MS = 500;

/**
 * Waits for a program that was started in its own process group. At the time limit, or when the signal aborts, kills
 * the whole group and returns at once. If the program ends by itself, processes that it leaves behind keep running.
 */
export function awaitGroup(
  child: ChildProcess,
  { signal, milliseconds }: { signal: AbortSignal; milliseconds: number },
): Promise<GroupEnd> {
  return new Promise((resolve) => {
    const settle = (end: GroupEnd) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(end);
    };
    const kill = (end: GroupEnd) => {
      if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      settle(end);
    };
    const interrupt = () => kill({ end: 'interrupted' });
    const timer = setTimeout(() => kill({ end: 'time', seconds: Math.ceil(milliseconds / 1000) }), milliseconds);
    signal.addEventListener('abort', interrupt);
    child.on('error', (error) => settle({ end: 'unstarted', code: getSystemCode(error) ?? 'unknown' }));
    child.on('exit', (code, name) => {
      const ended: GroupEnd = code === null ? { end: 'signal', signal: name ?? 'a signal' } : { end: 'exit', code };
      // Reads the remaining output first, but only briefly, since child processes may keep the pipes open.
      const closing = setTimeout(settle, AFTER_EXIT_MS, ended);
      child.on('close', () => {
        clearTimeout(closing);
        settle(ended);
      });
    });
  });
}

/**
 * Ends every process of a group with SIGTERM and, after five seconds, SIGKILL. Returns when the group is gone or cannot
 * be ended.
 * @param pgid a group that the caller has verified to be the right one
 */
export async function endProcessGroup(pgid: number): Promise<void> {
  if (!signalGroup(pgid, 'SIGTERM')) return;
  const isGone = () => !isPopulated(pgid);
  if (await waitUntil(isGone, GRACE_MS, POLL_MS)) return;
  signalGroup(pgid, 'SIGKILL');
  await waitUntil(isGone, COLLECTED_MS, POLL_MS);
}

/**
 * Returns whether a group has living processes. Zombies do not count: in a container without an init process, they keep
 * a group in existence forever.
 */
function isPopulated(pgid: number): boolean {
  if (!signalGroup(pgid, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const fields = readProcFields(name);
      return fields[GROUP] === String(pgid) && !isDead(fields[STATE]);
    } catch {
      // The process has ended since the directory was read.
      return false;
    }
  });
}

/** Sends a signal to a group; returns false if none of its processes can be reached. */
export function signalGroup(pgid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-pgid, signal);
  } catch (error) {
    const code = getSystemCode(error);
    // macOS returns EPERM for a group that consists of zombies.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function isDead(state = ''): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}

/**
 * Returns whether a shell could run this word as a program: an executable path, or a name on the PATH.
 * @param where.cwd absolute; the base of a relative path
 */
export function findProgram(word: string, where: { searchPath: string; cwd: string }): boolean {
  const places = word.includes('/')
    ? [resolve(where.cwd, word)]
    : where.searchPath.split(delimiter).map((at) => join(at, word));
  return word !== '' && places.some(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
