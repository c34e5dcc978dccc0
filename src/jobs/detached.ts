import { existsSync, type FSWatcher, rmSync, watch } from 'node:fs';
import { basename } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { findClaimObstacle, findClaimOwner } from '../store/claim.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';
import { identifyProcess } from '../store/process.js';
import { childProcess, endProcessGroup, readStartTime, sleep } from '../work/processes.js';
import {
  claimFile,
  commandFile,
  type ExitRecord,
  exitFile,
  isClosed,
  isWithdrawn,
  type ProcessSpec,
  readExit,
  readSpec,
  readStarted,
  type StartedRecord,
} from './records.js';

/** External commands as a call of dev-cli sees them: each has a directory, and a detached runner of its own (protocol.md §4). */

export interface JobRequest extends ProcessSpec {
  /** Absolute path of the command's own directory; made when it is not there. */
  directory: string;
  /** Absolute path of the runner's bundle. */
  runner: string;
  /** What the command inherits. Default: the environment of this process. Never written anywhere. */
  env?: Readonly<Record<string, string | undefined>>;
}

export type JobStatus =
  /** `launching`: asked for, and no runner has begun yet; launch it again, that is harmless. */
  | { state: 'absent' | 'launching' }
  | { state: 'running'; startedAt: string }
  /** The runner died and how the command ended cannot be known, or it was given up. It is never run again in this directory. */
  | { state: 'interrupted'; startedAt?: string }
  | { state: 'finished'; startedAt: string; exit: ExitRecord };

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** How long a runner may take from its claim to its record, or from the command's end to its exit record. */
const RUNNER_MS = 5_000;
const POLL_MS = 20;

/**
 * Starts a detached runner for a command; returns at once. Safe to call again, also from several processes at once: a
 * command whose directory says that it began or ended is not started any more.
 * @throws DevCliError `IO`; `COMMAND_FAILED` when no runner can be started, or on Windows; `LOCKED` when a runner has claimed
 * it that cannot be looked up from here, and has not begun
 */
export function launch({ directory, runner, env, ...spec }: JobRequest): void {
  if (process.platform === 'win32') {
    throw new DevCliError('COMMAND_FAILED', 'External commands are run on Linux and macOS only, not on Windows.', {
      fix: 'Use dev-cli inside the Windows Subsystem for Linux.',
    });
  }
  if (!existsSync(runner)) {
    throw new DevCliError('IO', `The runner of external commands is missing: ${runner}.`, {
      fix: 'Install dev-cli anew.',
    });
  }
  if (isClosed(directory)) return;
  const blocked = findClaimObstacle(claimFile(directory));
  if (blocked !== null) throw blocked;
  ensureDirectory(directory);
  writeDurably(commandFile(directory), JSON.stringify(spec));
  const child = childProcess().spawn(process.execPath, [runner, commandFile(directory)], {
    cwd: '/',
    env: env ?? process.env,
    detached: true,
    stdio: 'ignore',
  });
  // Without a listener the same failure would be thrown where nobody can catch it.
  child.on('error', () => {});
  if (child.pid === undefined) {
    throw new DevCliError('COMMAND_FAILED', 'The system refused to start another process.', {
      fix: 'Repeat the same call in a moment.',
    });
  }
  child.unref();
}

/**
 * How an external command stands, by what lies in its directory and whether its runner lives.
 * @throws DevCliError `IO`
 */
export function inspect(directory: string): JobStatus {
  const started = readStarted(directory);
  // Looked at before the exit record: a runner writes that one and ends, in this order.
  const alive = typeof started === 'object' && runnerLives(started);
  const exit = readExit(directory);
  if (typeof exit === 'object') return { state: 'finished', startedAt: exit.startedAt, exit };
  if (exit === 'damaged' || started === 'damaged') return { state: 'interrupted' };
  if (started !== 'absent') return { state: alive ? 'running' : 'interrupted', startedAt: started.at };
  const spec = readSpec(directory);
  if (spec === 'damaged' || isWithdrawn(directory)) return { state: 'interrupted' };
  return { state: spec === 'absent' ? 'absent' : 'launching' };
}

/**
 * Waits until one of several external commands has finished or was interrupted, or the time is over.
 * @param directories absolute; with none there is nothing to wait for
 * @throws DevCliError `INTERRUPTED` when `signal` aborts, `IO`
 */
export async function waitFinished(
  directories: readonly string[],
  { milliseconds, signal }: { milliseconds: number; signal?: AbortSignal },
): Promise<void> {
  if (directories.length === 0) return;
  const over = performance.now() + milliseconds;
  const alarm = new Alarm();
  signal?.addEventListener('abort', alarm.ring);
  const watchers = directories.flatMap((directory) => watchExit(directory, alarm.ring));
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      if (signal?.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
      if (directories.some(hasEnded)) return;
      const left = over - performance.now();
      if (left <= 0) return;
      await alarm.wait(Math.min(pause, left));
    }
  } finally {
    signal?.removeEventListener('abort', alarm.ring);
    for (const watcher of watchers) watcher.close();
  }
}

/**
 * Ends an external command and every process of its group: SIGTERM, five seconds, SIGKILL. One that is asked for but has
 * not begun is withdrawn and will not begin. Harmless when there is nothing to end. A process that merely has the number of
 * one that is gone is left alone.
 * @throws DevCliError `IO`; `COMMAND_FAILED` when a runner neither begins nor gives up
 */
export async function endCommand(directory: string): Promise<void> {
  if (readExit(directory) !== 'absent') return;
  // A runner reads the command after it has claimed it: who claims from now on finds none.
  if (readStarted(directory) === 'absent')
    withIoErrors(directory, null, () => rmSync(commandFile(directory), { force: true }));
  const isWaitedFor = () => findClaimOwner(claimFile(directory))?.host === identifyProcess().host;
  const began = await waitUntil(() => readStarted(directory) !== 'absent' || !isWaitedFor());
  if (!began) throw new DevCliError('COMMAND_FAILED', 'The runner of the command neither begins nor ends.');
  const started = readStarted(directory);
  if (typeof started !== 'object') return;
  if (isSameGroup(started)) await endProcessGroup(started.pgid);
  await waitUntil(() => readExit(directory) !== 'absent' || !runnerLives(started));
}

function runnerLives(started: StartedRecord): boolean {
  return started.host === identifyProcess().host && readStartTime(started.pid) === started.start;
}

/**
 * Whether the group is still the command's. While a group has members its number is given to no new process: so either its
 * leader is the one that was started, or the leader has gone and whoever is left came from it.
 */
function isSameGroup(started: StartedRecord): boolean {
  if (started.host !== identifyProcess().host) return false;
  const leader = readStartTime(started.pgid);
  return leader === null || leader === started.groupStart;
}

function hasEnded(directory: string): boolean {
  const { state } = inspect(directory);
  return state === 'finished' || state === 'interrupted';
}

/** A hint that comes sooner than the next look; where directories cannot be watched the looks are enough. */
function watchExit(directory: string, ring: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, (_event, name) => {
      if (name === null || name === basename(exitFile(directory))) ring();
    });
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

/** A pause that can be cut short. */
class Alarm {
  private wake = () => {};

  readonly ring = (): void => this.wake();

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Looks until `holds` does, for as long as a runner may take for one step; false when it never did. */
async function waitUntil(holds: () => boolean): Promise<boolean> {
  const over = performance.now() + RUNNER_MS;
  while (!holds()) {
    if (performance.now() > over) return false;
    await sleep(POLL_MS);
  }
  return true;
}
