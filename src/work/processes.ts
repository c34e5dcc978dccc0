import type { ChildProcess, ExecFileException, StdioOptions } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';
import { ENDING_SIGNALS } from '../base/signals.js';

/** `node:child_process`, loaded when first used: it takes milliseconds, and few acknowledgements need it. */
export const childProcess = loadLazily<typeof import('node:child_process')>('node:child_process');

/** What a program printed, and why it failed, if it did. */
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
  /** How many bytes it may print before it is ended. */
  maxBuffer: number;
  killSignal?: NodeJS.Signals;
  /** What it reads from standard input; nothing by default. */
  input?: string | Buffer;
  /** Talks with the program instead, as it runs. */
  converse?: Conversation | undefined;
}

/** Gives a program its input as its output comes; it has to end the input. */
export type Conversation = (program: { stdin: Writable; stdout: Readable }) => void;

/**
 * Runs a program to its end.
 * @throws DevCliError `INTERRUPTED` if the signal aborts; not if the program fails
 */
export function executeFile(
  program: string,
  args: readonly string[],
  { signal, timeoutSeconds, input, converse, ...rest }: ExecutionOptions,
): Promise<Execution> {
  // Node takes whole milliseconds only.
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
 * Runs a program to its end, with this process at a stop; it reads nothing. The only place that waits so, since Node reports an
 * error also of a program that ended well where a sandbox forbids to close a pipe to it (Codex CLI: EPERM of `shutdown`).
 * @throws DevCliError `INTERRUPTED` if a signal that ends calls ended the program; not if it fails
 */
export function executeFileNow(
  program: string,
  args: readonly string[],
  { timeoutSeconds, ...rest }: Pick<ExecutionOptions, 'cwd' | 'env' | 'timeoutSeconds' | 'maxBuffer'>,
): Execution {
  const options = { ...rest, timeout: timeoutSeconds * 1000, stdio: WITHOUT_INPUT };
  const { error: reported, status, signal, stdout, stderr } = childProcess().spawnSync(program, args, options);
  // What ended by itself was not kept from running: the exit code counts, whatever became of a pipe.
  const error = status !== null && getSystemCode(reported) === 'EPERM' ? undefined : reported;
  const killed = getSystemCode(error) === 'ETIMEDOUT';
  // A signal reaches the whole process group: the program has ended before this process hears of it.
  if (!killed && ENDING_SIGNALS.some((one) => one === signal)) throw new DevCliError('INTERRUPTED', 'Interrupted.');
  const printed = { stdout: stdout ?? Buffer.alloc(0), stderr: stderr ?? Buffer.alloc(0) };
  if (error === undefined && status === 0) return { error: null, ...printed };
  const failed: ExecFileException = error ?? new Error(`${program} failed`);
  // As execFile describes it: the exit code in place of a system error's, and whether it was ended from here.
  if (killed) delete failed.code;
  else if (error === undefined && status !== null) failed.code = status;
  return { error: Object.assign(failed, { killed, signal }), ...printed };
}

/**
 * Waits until `holds` returns true, checking every `pollMs` milliseconds.
 * @returns false if it still does not after `milliseconds`
 */
export async function waitUntil(holds: () => boolean, milliseconds: number, pollMs: number): Promise<boolean> {
  const over = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > over) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

/** How long a process group has between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;
/** How long to wait for killed processes to be gone; one that is stuck in the kernel never goes. */
const COLLECTED_MS = 1_000;
const POLL_MS = 25;

/** Indices into the result of `readProcFields` (proc(5): fields 3, 5 and 22). */
const STATE = 0;
const GROUP = 2;
const START = 19;

/**
 * Reads when a process started, which tells it from a later process with the same number.
 * @returns clock ticks since boot on Linux, the time to the second elsewhere; null if there is no living process
 */
export function readStartTime(pid: number): string | null {
  try {
    const [state, start] = process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
    return isDead(state) ? null : start;
  } catch {
    // There is no such process: nothing to read, and ps fails.
    return null;
  }
}

function readFromProc(pid: number): [state: string, start: string] {
  const fields = readProcFields(pid);
  return [fields[STATE] ?? '', fields[START] ?? ''];
}

/** Reads the fields of /proc/<pid>/stat behind the second: that is the program's name, which may contain anything. */
export function readProcFields(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readFromPs(pid: number): [state: string, start: string] {
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', `${pid}`];
  const [state = '', ...start] = askPs(args).trim().split(/\s+/);
  return [state, start.join(' ')];
}

/** What ps prints, in the C locale. @throws its failure: for one process, that there is none */
export function askPs(args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC0' };
  const options = { cwd: '/', env, timeoutSeconds: PS_SECONDS, maxBuffer: PS_BYTES };
  const { error, stdout } = executeFileNow('ps', args, options);
  if (error !== null) throw error;
  return stdout.toString('utf8');
}

const PS_SECONDS = 30;
const PS_BYTES = 16 * 1024 * 1024;

/** How the leader of a group ended. */
export type GroupEnd =
  | { end: 'exit'; code: number }
  /** Its group was ended when `seconds` were over. */
  | { end: 'time'; seconds: number }
  | { end: 'signal'; signal: string }
  /** Its group was ended since the call is. */
  | { end: 'interrupted' }
  /** It could not be started: `ENOENT` where there is no such program. */
  | { end: 'unstarted'; code: string };

/** Milliseconds that the output of a program that has ended may still take to come. */
const AFTER_EXIT_MS = 500;

/**
 * Waits for a program that was begun in a group of its own. At the limit, or when the signal aborts, the whole group is killed,
 * and not waited for; what a program that ended by itself has left behind goes on.
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
      // What it has printed is read before it is judged; not for ever, since its children may hold the pipes.
      const closing = setTimeout(settle, AFTER_EXIT_MS, ended);
      child.on('close', () => {
        clearTimeout(closing);
        settle(ended);
      });
    });
  });
}

/**
 * Ends every process of a group: SIGTERM, five seconds, SIGKILL. Returns when the group is gone or will not go.
 * @param pgid a group that the caller has checked to be the right one
 */
export async function endProcessGroup(pgid: number): Promise<void> {
  if (!signalGroup(pgid, 'SIGTERM')) return;
  const isGone = () => !isPopulated(pgid);
  if (await waitUntil(isGone, GRACE_MS, POLL_MS)) return;
  signalGroup(pgid, 'SIGKILL');
  await waitUntil(isGone, COLLECTED_MS, POLL_MS);
}

/** Zombies do not count, though they keep a group in existence: in a container without an init, for ever. */
function isPopulated(pgid: number): boolean {
  if (!signalGroup(pgid, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const fields = readProcFields(name);
      return fields[GROUP] === String(pgid) && !isDead(fields[STATE]);
    } catch {
      // It has ended since the directory was read.
      return false;
    }
  });
}

/** Sends a signal to a group; false if none of its processes can be reached. */
export function signalGroup(pgid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-pgid, signal);
  } catch (error) {
    const code = getSystemCode(error);
    // macOS says EPERM of a group that consists of zombies.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

function isDead(state = ''): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}

/** Whether a program can be started by this word: a path, or a name on the PATH. @param where.cwd absolute: what a path is relative to */
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
