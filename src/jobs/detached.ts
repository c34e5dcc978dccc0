import { existsSync, type FSWatcher, rmSync, watch } from 'node:fs';
import { basename } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { findClaimObstacle, findClaimOwner } from '../store/claim.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';
import { identifyProcess } from '../store/process.js';
import { endProcessGroup, readStartTime, waitUntil } from '../work/processes.js';
import {
  type ExitRecord,
  getClaimFile,
  getCommandFile,
  getExitFile,
  isClosed,
  isWithdrawn,
  type ProcessSpec,
  readExit,
  readSpec,
  readStarted,
  type StartedRecord,
} from './records.js';
import type { RunnerProcesses } from './runner-process.js';

/**
 * Launches, watches and ends external commands. Each has its own directory, and a detached runner that outlives the
 * call (protocol.md §4).
 */

/** A command to be launched. */
export interface JobRequest extends ProcessSpec {
  /** Absolute path of the command's own directory; created if missing. */
  directory: string;
  /** Absolute path of the runner's bundle. */
  runner: string;
  /** The environment that the command inherits; by default this process's. Never written to disk. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The state of an external command. */
export type JobStatus =
  /** `launching`: requested, but no runner has begun yet. Launching it again is harmless. */
  | { state: 'absent' | 'launching' }
  | { state: 'running'; startedAt: string }
  /**
   * The runner died before it recorded an exit, or the command was withdrawn. It never runs again in this directory.
   */
  | { state: 'interrupted'; startedAt?: string }
  | { state: 'finished'; startedAt: string; exit: ExitRecord };

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** Milliseconds that a runner may take from its claim to `started.json`, or from the command's end to `exit.json`. */
const RUNNER_MS = 5_000;
const POLL_MS = 20;

/**
 * Hands a command to a detached runner, and returns at once. May be repeated, even by several processes at once: a
 * command that has begun or ended is not started again.
 * @param runners the runners that the call has already started
 * @throws DevCliError `IO`; `COMMAND_FAILED` if no runner can be started, or on Windows; `LOCKED` if the claim belongs
 * to a runner on another machine or in another container, which cannot be checked from here
 */
export function launchDetached({ directory, runner, env, ...spec }: JobRequest, runners: RunnerProcesses): void {
  requireRunner(runner);
  if (isClosed(directory)) return;
  const blocked = findClaimObstacle(getClaimFile(directory));
  if (blocked !== null) throw blocked;
  ensureDirectory(directory);
  writeDurably(getCommandFile(directory), JSON.stringify(spec));
  runners.handOver(runner, getCommandFile(directory), env ?? process.env);
}

/**
 * Starts a runner for a command that will probably be launched, while the call is still deciding.
 * @throws DevCliError as `launchDetached`
 */
export function prepareRunner(
  { directory, runner }: Pick<JobRequest, 'directory' | 'runner'>,
  runners: RunnerProcesses,
) {
  requireRunner(runner);
  runners.prepare(runner, getCommandFile(directory), process.env);
}

function requireRunner(runner: string): void {
  if (process.platform === 'win32') {
    throw new DevCliError('COMMAND_FAILED', 'External commands run on Linux and macOS only, not on Windows.', {
      fix: 'Use dev-cli inside the Windows Subsystem for Linux.',
    });
  }
  if (!existsSync(runner)) {
    throw new DevCliError('IO', `The runner of external commands is missing: ${runner}.`, {
      fix: 'Reinstall dev-cli.',
    });
  }
}

/**
 * Determines the state of an external command from its directory, and from whether its runner is alive.
 * @throws DevCliError `IO`
 */
export function inspectJob(directory: string): JobStatus {
  const started = readStarted(directory);
  // Checked before the exit record is read. A runner that ended between the two reads would otherwise seem to have died
  // without a record.
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
 * Waits until any of these external commands has finished or was interrupted, or the time is up.
 * @param directories absolute paths; with none it returns at once
 * @throws DevCliError `INTERRUPTED` if `signal` aborts; `IO`
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
 * Ends an external command and every process of its group: SIGTERM, then SIGKILL five seconds later. A command that has
 * not begun will not begin. Does nothing if nothing is running, and spares a process that merely reuses an old process
 * id.
 * @throws DevCliError `IO`; `COMMAND_FAILED` if a runner neither begins nor releases its claim
 */
export async function endCommand(directory: string): Promise<void> {
  if (readExit(directory) !== 'absent') return;
  // A runner takes the claim before it reads `command.json`, so a runner that takes it from now on finds no command.
  if (readStarted(directory) === 'absent')
    withIoErrors(directory, null, () => rmSync(getCommandFile(directory), { force: true }));
  const isWaitedFor = () => findClaimOwner(getClaimFile(directory))?.host === identifyProcess().host;
  const began = await waitUntil(() => readStarted(directory) !== 'absent' || !isWaitedFor(), RUNNER_MS, POLL_MS);
  if (!began) throw new DevCliError('COMMAND_FAILED', 'The runner of the command neither starts nor ends.');
  const started = readStarted(directory);
  if (typeof started !== 'object') return;
  if (isSameGroup(started)) await endProcessGroup(started.pgid);
  await waitUntil(() => readExit(directory) !== 'absent' || !runnerLives(started), RUNNER_MS, POLL_MS);
}

function runnerLives(started: StartedRecord): boolean {
  return started.host === identifyProcess().host && readStartTime(started.pid) === started.start;
}

/**
 * Whether the process group is still the command's. The system does not reuse a group's number while the group has
 * members. So either the leader is the process that was started, or the leader is gone and the other members are its
 * descendants.
 */
function isSameGroup(started: StartedRecord): boolean {
  if (started.host !== identifyProcess().host) return false;
  const leader = readStartTime(started.pgid);
  return leader === null || leader === started.groupStart;
}

function hasEnded(directory: string): boolean {
  const { state } = inspectJob(directory);
  return state === 'finished' || state === 'interrupted';
}

/** Calls `ring` as soon as a command ends. If directories cannot be watched, polling alone suffices. */
function watchExit(directory: string, ring: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, (_event, name) => {
      if (name === null || name === basename(getExitFile(directory))) ring();
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
