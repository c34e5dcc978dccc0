import { basename } from 'node:path';
import { DevCliError } from '../base/errors.js';
import type { Context } from '../run/context.js';
import type { RunHead } from '../run/state.js';
import { recordEntry, type Transaction } from '../run/transaction.js';
import { findClaimObstacle } from '../store/claim.js';
import { type CommitSetting, readCommitSetting } from '../work/commit.js';
import { readWorkTree, type WorkTreeReading } from '../work/git.js';
import { findLastChange } from '../work/last-change.js';
import { waitUntil } from '../work/processes.js';
import { endCommand, inspectJob, type JobRequest, launchDetached, waitFinished } from './detached.js';
import { findRunningAction, getRecordsPath, type Job } from './job.js';
import { type ExitRecord, getClaimFile } from './records.js';
import { RunnerProcesses } from './runner-process.js';

/** Launches the processes of all jobs, and waits for them. */

/** Resources that a call shares among its jobs. */
export interface JobResources {
  readonly repositories: KnownRepositories;
  readonly runners: RunnerProcesses;
}

/** Runs the jobs of a call, and releases their shared runners afterwards. */
export async function withJobResources<T>(
  { signal }: Pick<Context, 'signal'>,
  work: (kept: JobResources) => Promise<T>,
): Promise<T> {
  const runners = new RunnerProcesses();
  try {
    return await work({ repositories: new KnownRepositories(signal), runners });
  } finally {
    runners.release();
  }
}

/** The call that launches a job or waits for it. */
export interface JobCall extends JobResources {
  context: Context;
  /** The run, as last read. */
  run: RunHead;
  /** When the call must answer: milliseconds since the epoch. */
  until: number;
  /** Whether an earlier call recorded the job's start. That call also launched the job, unless it was interrupted. */
  launched: boolean;
  /** Throws if the run comes from elsewhere and nobody has trusted it. @throws DevCliError `RUN_UNTRUSTED` */
  requirePlace: () => Promise<void>;
  /** Returns whether an argument vector is a dev-cli command, which is run with this installation. */
  isOwn: (argv: readonly string[]) => boolean;
  /** Runs a transaction on the run. */
  transact: <A>(body: (tx: Transaction) => A) => Promise<A>;
}

/** How a process ended. `vanished`: its records or its output were lost even after a second launch. */
export type ProcessEnding = { kind: 'exit'; exit: ExitRecord } | { kind: 'interrupted'; vanished?: true };

/**
 * Maximum number of launches of a process whose end was not recorded, because its runner died or its records vanished
 * (protocol.md §4).
 */
export const MAX_LAUNCHES = 2;
/** Milliseconds to wait for the records of a process that another call has launched. */
const APPEARING = 1_000;

/**
 * Returns whether a runner has begun in a directory. From then on, only that runner's result counts.
 * @throws DevCliError `IO`
 */
export function hasBegun(directory: string): boolean {
  const { state } = inspectJob(directory);
  return state !== 'absent' && state !== 'launching';
}

/**
 * Launches a process of a job. If an earlier call recorded the start but the directory is empty, either that call was
 * interrupted before the launch or the runner's records have vanished; this launch is then counted as another attempt.
 * @param launched whether an earlier call recorded the start; by default `call.launched`
 * @returns `wait` if another call handles the launch, `vanished` if there were `MAX_LAUNCHES` launches already
 * @throws DevCliError `IO`, `COMMAND_FAILED`; `LOCKED` if the claim belongs to a runner that cannot be checked from
 * this machine; any error of a transaction
 */
export async function launchOnce(
  job: Job,
  call: JobCall,
  process: Omit<JobRequest, 'runner'>,
  launched: boolean = call.launched,
): Promise<'launched' | 'wait' | 'vanished'> {
  if (launched && inspectJob(process.directory).state === 'absent') {
    const again = await countLaunch(job, call, process.directory);
    if (again !== 'launch') return again;
  }
  launchDetached({ ...process, runner: call.context.runner }, call.runners);
  return 'launched';
}

async function countLaunch(
  job: Job,
  { transact }: JobCall,
  directory: string,
): Promise<'launch' | 'wait' | 'vanished'> {
  // Checked before the launch is counted, because no launch is possible while another runner's claim is in the way.
  const blocked = findClaimObstacle(getClaimFile(directory));
  if (blocked !== null) throw blocked;
  const mayLaunch = await transact((tx) => {
    const launches = findLaunches(tx, job);
    if (launches === undefined) return null;
    if (launches >= MAX_LAUNCHES) return false;
    setLaunches(tx, job, launches + 1);
    recordEntry(tx, 'recovered', {
      notices: [`${basename(directory)}: there are no records of its command, so it is started again`],
    });
    return true;
  });
  if (mayLaunch !== false) return mayLaunch === null ? 'wait' : 'launch';
  const appeared = await waitUntil(() => inspectJob(directory).state !== 'absent', APPEARING, APPEARING / 20);
  return appeared ? 'wait' : 'vanished';
}

/** Returns how often a job was launched; undefined if another call has already processed its result. */
function findLaunches(tx: Transaction, { kind, key, actionId }: Job): number | undefined {
  const { commands, engine } = tx.state;
  const row = kind === 'command' ? commands[key] : findRunningAction(tx.state) === actionId ? engine?.job : null;
  return row == null || 'queue' in row ? undefined : (row.launches ?? 1);
}

function setLaunches({ state }: Transaction, { kind, key }: Job, launches: number): void {
  const { commands, engine } = state;
  const command = kind === 'command' ? commands[key] : undefined;
  if (command !== undefined) commands[key] = { ...command, launches };
  else if (engine?.job != null && engine.job.kind !== 'commands') engine.job = { ...engine.job, launches };
}

/**
 * Waits for the process in a directory for as long as the call has time. If its runner died, ends the remaining
 * processes.
 * @param directory absolute
 * @returns null while it is running
 * @throws DevCliError `INTERRUPTED`, `IO`, `COMMAND_FAILED`
 */
export async function awaitProcess(directory: string, { context, until }: JobCall): Promise<ProcessEnding | null> {
  let seen = inspectJob(directory);
  if (seen.state !== 'finished' && seen.state !== 'interrupted') {
    const milliseconds = Math.max(0, until - context.clock.now());
    await waitFinished([directory], { milliseconds, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted; the command is still running.');
    seen = inspectJob(directory);
  }
  if (seen.state === 'finished') return { kind: 'exit', exit: seen.exit };
  if (seen.state !== 'interrupted') return null;
  await endCommand(directory);
  return { kind: 'interrupted' };
}

/** Returns the absolute path of a job's records. */
export function getJobDirectory({ directory }: Job, { context, run }: JobCall): string {
  return getRecordsPath(context, run.snapshot.name, directory);
}

/**
 * Caches a call's readings of the repositories in which its jobs work. A work tree is read again only after a process
 * has run or the call has waited; otherwise the next job uses the last job's reading.
 */
class KnownRepositories {
  private readonly readings = new Map<string, WorkTreeReading | null>();
  private readonly lastChanges = new Map<string, number>();
  private readonly settings = new Map<string, Promise<CommitSetting | null>>();

  constructor(private readonly signal: AbortSignal) {}

  /**
   * Returns the cached reading of a work tree, or reads it.
   * @param workTree absolute path
   * @returns null if there is no git or no repository
   * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
   */
  async readTree(workTree: string): Promise<WorkTreeReading | null> {
    const known = this.readings.get(workTree);
    if (known !== undefined) return known;
    const reading = await readWorkTree(workTree, { signal: this.signal });
    this.readings.set(workTree, reading);
    return reading;
  }

  /** Returns the cached reading of a work tree; undefined if there is none. */
  getTree(workTree: string): WorkTreeReading | null | undefined {
    return this.readings.get(workTree);
  }

  /**
   * Returns whether any file in the repository outside `.dev/` has changed since a moment, even one that git ignores;
   * true also if that cannot be determined.
   * @param moment milliseconds since the epoch
   */
  hasChangedSince(workTree: string, moment: number): boolean {
    const reading = this.readings.get(workTree);
    if (reading == null) return true;
    const { prefix } = reading;
    const top = workTree + '/..'.repeat(prefix.split('/').length - 1);
    const last = this.lastChanges.get(workTree) ?? findLastChange(top, `${prefix}.dev`);
    this.lastChanges.set(workTree, last);
    return last > moment;
  }

  /** Clears the cached readings. Called when a job's process has run, or another call may have changed files. */
  forgetTrees(): void {
    this.lastChanges.clear();
    this.readings.clear();
  }

  /**
   * Reads the settings that apply to all commits in a work tree. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
   */
  readSetting(workTree: string): Promise<CommitSetting | null> {
    const known = this.settings.get(workTree) ?? readCommitSetting(workTree, { signal: this.signal });
    this.settings.set(workTree, known);
    return known;
  }
}
