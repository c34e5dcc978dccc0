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

/** Launching the processes of all jobs, and waiting for them. */

/** What a call keeps from one of its jobs to the next. */
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
  /** Whether an earlier call recorded the start. That call launched the job, unless it was interrupted first. */
  launched: boolean;
  /** Requires trust before anything starts in a run from elsewhere. @throws DevCliError `RUN_UNTRUSTED` */
  requirePlace: () => Promise<void>;
  /** Whether an argument vector is a command of dev-cli itself, which then runs with this installation. */
  isOwn: (argv: readonly string[]) => boolean;
  /** Runs a transaction on the run. */
  transact: <A>(body: (tx: Transaction) => A) => Promise<A>;
}

/** How a process ended. `vanished`: its records or its output were lost again after a second launch. */
export type ProcessEnding = { kind: 'exit'; exit: ExitRecord } | { kind: 'interrupted'; vanished?: true };

/**
 * The most launches of one process whose end was not seen: its runner died, or its records vanished (protocol.md §4).
 */
export const MAX_LAUNCHES = 2;
/** Milliseconds that the records of another call's launch may take to appear. */
const APPEARING = 1_000;

/**
 * Whether a runner has begun in a directory. From then on only its result counts.
 * @throws DevCliError `IO`
 */
export function hasBegun(directory: string): boolean {
  const { state } = inspectJob(directory);
  return state !== 'absent' && state !== 'launching';
}

/**
 * Launches a process of a job. If an earlier call recorded the start and the directory is empty, either that call was
 * interrupted before the launch or the runner's records have vanished; then the launch is counted first.
 * @param launched whether an earlier call recorded the start; by default `call.launched`
 * @returns `wait` if another call takes care of it, `vanished` if it has been launched often enough
 * @throws DevCliError `IO`, `COMMAND_FAILED`; `LOCKED` if its claim belongs to a runner that cannot be checked from
 * this machine; and whatever a transaction throws
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
  // Checked first, because a launch that is impossible must not be counted.
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
 * What a call knows about the repositories in which its jobs work. A work tree is read again only after something ran
 * or the call waited; otherwise one job's last reading is the next job's first.
 */
class KnownRepositories {
  private readonly readings = new Map<string, WorkTreeReading | null>();
  private readonly lastChanges = new Map<string, number>();
  private readonly settings = new Map<string, Promise<CommitSetting | null>>();

  constructor(private readonly signal: AbortSignal) {}

  /**
   * Reads a work tree, or returns the known reading.
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

  /** Returns the known reading of a work tree; undefined if it has to be read. */
  getTree(workTree: string): WorkTreeReading | null | undefined {
    return this.readings.get(workTree);
  }

  /**
   * Whether anything in the repository has changed since a moment, including files that git ignores; `.dev/` does not
   * count.
   * @param moment milliseconds since the epoch
   * @returns true also where that cannot be determined
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

  /** Forgets all readings. Called when a job's process has run, or another call may have changed files. */
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
