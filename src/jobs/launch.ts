import { basename } from 'node:path';
import { DevCliError } from '../base/errors.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import { recordEntry, type Transaction } from '../run/transaction.js';
import { findClaimObstacle } from '../store/claim.js';
import type { StreamState } from '../store/store.js';
import { sleep } from '../work/processes.js';
import { endCommand, inspect, type JobRequest, launch, waitFinished } from './detached.js';
import { findRunningAction, getRecordsPath, type Job } from './job.js';
import { claimFile, type ExitRecord } from './records.js';

/** What all jobs share of their life: each process is launched, and waited for, in the same way. */

/** The call that sees a job through. */
export interface Call {
  context: Context;
  /** The run as it was read last. */
  run: StreamState<RunState> & { snapshot: RunState };
  /** Instant, in milliseconds, by which the call must answer. */
  until: number;
  /** Whether an earlier call has recorded the start: then it was launched once, if that call lived to do so. */
  launched: boolean;
  /** Refuses what may not be started for this run. @throws DevCliError `RUN_UNTRUSTED` */
  requirePlace: () => Promise<void>;
  /** Whether an argument vector is a command of dev-cli itself, which is run by this installation. */
  isOwn: (argv: readonly string[]) => boolean;
  /** One transaction on the run. */
  transact: <A>(body: (tx: Transaction) => A) => Promise<A>;
}

/** How a process ended. `vanished`: its records were gone again after a second launch, or what it wrote is gone. */
export type ProcessEnding = { kind: 'exit'; exit: ExitRecord } | { kind: 'interrupted'; vanished?: true };

/** How often a process is launched whose records vanish (protocol.md §4). */
const LAUNCHES = 2;
/** How long the records of a launch by another call may take to appear, in milliseconds. */
const APPEARING = 1_000;

/** Whether a runner has begun in a directory: from then on only its ending counts. */
export function hasBegun(directory: string): boolean {
  const { state } = inspect(directory);
  return state !== 'absent' && state !== 'launching';
}

/**
 * Launches a process of a job. Where an earlier call has recorded the start and no record lies in the directory, that call
 * was cut off before it launched anything, or what the runner had written has vanished: then the launch is counted first.
 * @param launched default: as the call says
 * @returns `wait` when another call sees to it, `vanished` when it was launched often enough
 * @throws DevCliError `IO`, `COMMAND_FAILED`; `LOCKED` where a runner has claimed it that cannot be looked up from here; what
 * a transaction throws
 */
export async function launchOnce(
  job: Job,
  call: Call,
  process: Omit<JobRequest, 'runner'>,
  launched: boolean = call.launched,
): Promise<'launched' | 'wait' | 'vanished'> {
  if (launched && inspect(process.directory).state === 'absent') {
    const again = await countLaunch(job, call, process.directory);
    if (again !== 'launch') return again;
  }
  launch({ ...process, runner: call.context.runner });
  return 'launched';
}

async function countLaunch(job: Job, { transact }: Call, directory: string): Promise<'launch' | 'wait' | 'vanished'> {
  // What cannot be launched is not counted.
  const blocked = findClaimObstacle(claimFile(directory));
  if (blocked !== null) throw blocked;
  const mayLaunch = await transact((tx) => {
    const row = findLaunchRow(tx.state, job);
    if (row === undefined) return null;
    if ((row.launches ?? 1) >= LAUNCHES) return false;
    row.launches = (row.launches ?? 1) + 1;
    recordEntry(tx, 'recovered', {
      notices: [`${basename(directory)}: no records of its command; it is launched again`],
    });
    return true;
  });
  if (mayLaunch !== false) return mayLaunch === null ? 'wait' : 'launch';
  const over = performance.now() + APPEARING;
  while (performance.now() < over && inspect(directory).state === 'absent') await sleep(APPEARING / 20);
  return inspect(directory).state === 'absent' ? 'vanished' : 'wait';
}

/** The row of the state that counts a job's launches; none when another call has told of it. */
function findLaunchRow(state: RunState, { kind, actionId }: Job): { launches?: number } | undefined {
  if (kind === 'command') return state.commands[actionId];
  const job = findRunningAction(state) === actionId ? state.engine?.job : null;
  return job === null || job === undefined || job.kind === 'commands' ? undefined : job;
}

/**
 * Waits for the process in a directory, as long as the call may take; null while it is at work. What a dead runner had
 * started may live on: it is ended.
 * @param directory absolute
 * @throws DevCliError `INTERRUPTED`, `IO`, `COMMAND_FAILED`
 */
export async function awaitProcess(directory: string, { context, until }: Call): Promise<ProcessEnding | null> {
  let seen = inspect(directory);
  if (seen.state !== 'finished' && seen.state !== 'interrupted') {
    const milliseconds = Math.max(0, until - context.clock.now());
    await waitFinished([directory], { milliseconds, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted; the command goes on.');
    seen = inspect(directory);
  }
  if (seen.state === 'finished') return { kind: 'exit', exit: seen.exit };
  if (seen.state !== 'interrupted') return null;
  await endCommand(directory);
  return { kind: 'interrupted' };
}

/** Where the records of a job lie. Absolute. */
export function getJobDirectory({ directory }: Job, { context, run }: Call): string {
  return getRecordsPath(context, run.snapshot.name, directory);
}
