import { commandEnded } from '../blocks/command.js';
import { recordCommitResult } from '../engine/act/commit-job.js';
import { recordCommandResult } from '../engine/act/evidence.js';
import { recordPullRequestResult } from '../engine/act/request-job.js';
import type { EngineEvent } from '../engine/core/events.js';
import { findPendingJob, findRunningAction, type Job } from '../jobs/job.js';
import type { Call } from '../jobs/launch.js';
import { awaitJob, type EndedJob, endJob } from '../jobs/life.js';
import { runsAsProcess } from '../registry/hot.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import { transact } from '../run/transact.js';
import type { Transaction } from '../run/transaction.js';
import type { FoldedJournal } from '../views/envelope.js';
import { retryDeferred } from './deferred.js';
import { mergeResults, startResult } from './envelope.js';
import { hasDeferredCommits, readRun } from './find-run.js';
import { mayStart, requirePlace } from './trust/place.js';
import { advance, advanceEngine } from './walk/advance.js';

/**
 * Settles what a run waits for from dev-cli itself (jobs/job.ts): launches the job at work, waits for it as long as the call
 * may take, commits its ending, and goes on with the next one. Commits that had to wait come first.
 * @param until instant, in milliseconds, by which the call must answer
 * @param found id of the action that was pending when the call began: if its job is still at work, an earlier call has
 *   launched it
 * @returns null when nothing was committed
 * @throws what `awaitJob` and a transaction throw
 */
export async function runPendingJobs(
  context: Context,
  name: string,
  until: number,
  found: string | null,
): Promise<FoldedJournal | null> {
  const told: FoldedJournal[] = [];
  for (let first = true; ; first = false) {
    let call = createCall(context, await readRun(context, name), until);
    if (hasDeferredCommits(call.run.snapshot) && (first || isLastCommit(call.run.snapshot))) {
      told.push(...(await retryDeferred(call)));
      call = createCall(context, await readRun(context, name), until);
    }
    const job = findPendingJob(call.run.snapshot);
    const ended = job === null ? null : await awaitJob(job, { ...call, launched: job.actionId === found });
    if (ended === null) return told.length === 0 ? null : told.reduce(mergeResults);
    told.push(...(await call.transact((tx) => recordEnding(tx, ended))));
  }
}

/** Tells the run how its job ended, and lets it go on; nothing when another call has done so meanwhile. */
function recordEnding(tx: Transaction, ended: EndedJob): FoldedJournal[] {
  if (findRunningAction(tx.state) !== ended.job.actionId) return [];
  if (ended.kind === 'command' && ended.job.acceptance === null) {
    advance(tx, commandEnded(tx, ended));
  } else {
    const event = recordEngineEnding(tx, ended);
    if (event !== null) advanceEngine(tx, [event]);
  }
  return [startResult(tx)];
}

/** What the engine takes of an ending; null while its job goes on with another command. */
function recordEngineEnding(tx: Transaction, ended: EndedJob): EngineEvent | null {
  switch (ended.kind) {
    case 'command':
      return recordCommandResult(tx, ended);
    case 'commit':
      return recordCommitResult(tx, ended);
    case 'pull-request':
      return recordPullRequestResult(tx, ended);
  }
}

/** Before what remains is committed, what had to wait is tried once more: it has a commit of its own. */
function isLastCommit({ engine }: RunState): boolean {
  return engine?.job?.kind === 'commit' && engine.job.todo === null;
}

/** A call on a run as it was read, for a job that no earlier call has launched. */
export function createCall(context: Context, run: Call['run'], until: number): Call {
  return {
    context,
    run,
    until,
    launched: false,
    requirePlace: () => requirePlace(context, run.snapshot),
    isOwn: runsAsProcess,
    transact: (body) => transact(context, run.snapshot.name, body),
  };
}

/**
 * Ends jobs that a run has withdrawn, after that commit. What a copied run has at work is at work for the one it was copied
 * from.
 * @throws what `endJob` throws
 */
export async function stopJobs(context: Context, name: string, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const { snapshot } = await context.store.read(name);
    if (snapshot === null || (await mayStart(context, snapshot))) await endJob(job, context, name);
  }
}
