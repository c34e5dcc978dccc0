import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import type { AckResult } from '../blocks/acknowledgement.js';
import { concludeCommand } from '../blocks/command.js';
import { recordCommitResult } from '../engine/act/commits/commit-job.js';
import { getResultPath } from '../engine/act/prompts/dispatch.js';
import { recordPullRequestResult } from '../engine/act/request-job.js';
import { recordCommandResult } from '../engine/act/results/evidence.js';
import type { EngineEvent } from '../engine/core/events.js';
import { findPendingJob, findRunningAction, getWorkTree, type Job } from '../jobs/job.js';
import { type JobCall, type JobResources, withJobResources } from '../jobs/launch.js';
import { awaitJob, type EndedJob, endWithdrawnJob, findEndingAtOnce, tidyJob } from '../jobs/life.js';
import { runsAsProcess } from '../registry/hot.js';
import type { Context } from '../run/context.js';
import type { RunEngine } from '../run/engine.js';
import type { RunState } from '../run/state.js';
import { transact } from '../run/transact.js';
import type { Transaction } from '../run/transaction.js';
import type { CallResult } from '../views/action-text.js';
import { retryDeferred } from './deferred.js';
import { addAckResult, mergeResults, startResult } from './envelope.js';
import { hasDeferredCommits, readRun } from './find/find-run.js';
import { mayStartCommands, requirePlace } from './trust/place.js';
import { advance, advanceEngine } from './walk/advance.js';

/**
 * Carries out the jobs that a run waits for: launches the pending one, waits as long as the call may take, commits its
 * outcome, and continues with the next one (protocol.md §4). Deferred commits come first.
 * @param until instant, in milliseconds, by which the call must answer
 * @param found id of the action that was pending when the call began; if its job is still pending, an earlier call
 * launched that job
 * @returns null if nothing was committed
 * @throws any error of `awaitJob` and of a transaction
 */
export function runPendingJobs(
  context: Context,
  name: string,
  until: number,
  found: string | null,
): Promise<CallResult | null> {
  if (context.simulation !== undefined) return Promise.resolve(null);
  return withJobResources(context, (kept) => runJobs(context, name, { until, found, kept }));
}

/**
 * Records a given outcome of a simulated run's pending job.
 * @returns null if no such job is pending
 * @throws any error of a transaction
 */
export function settleSimulatedJob(context: Context, name: string, ended: EndedJob): Promise<CallResult | null> {
  return withJobResources(context, async (kept) => {
    const call = createJobCall(context, await readRun(context, name), 0, kept);
    const [result] = await call.transact((tx) => recordEndings(tx, ended, call));
    return result ?? null;
  });
}

async function runJobs(
  context: Context,
  name: string,
  { until, found, kept }: { until: number; found: string | null; kept: JobResources },
): Promise<CallResult | null> {
  const results: CallResult[] = [];
  for (let first = true; ; first = false) {
    let call = createJobCall(context, await readRun(context, name), until, kept);
    if (hasDeferredCommits(call.run.snapshot) && (first || isLastCommit(call.run.snapshot))) {
      results.push(...(await retryDeferred(call)));
      call = createJobCall(context, await readRun(context, name), until, kept);
    }
    const job = findPendingJob(call.run.snapshot);
    const ended = job === null ? null : await awaitJob(job, { ...call, launched: job.actionId === found });
    if (ended === null) return results.length === 0 ? null : results.reduce(mergeResults);
    results.push(...(await call.transact((tx) => recordEndings(tx, ended, call))));
    tidyJob(ended.job, context, name);
  }
}

/**
 * Records how a job ended. If the next job has nothing to run, records that one's outcome too, and so on. Does nothing
 * if another call has already recorded how the first job ended.
 */
function recordEndings(tx: Transaction, first: EndedJob, call: JobCall): CallResult[] {
  if (findRunningAction(tx.state) !== first.job.actionId) return [];
  let judged: AckResult | undefined;
  for (let ended: EndedJob | null = first; ended !== null; ) {
    judged = recordEnding(tx, ended) ?? judged;
    // Stops here, because deferred commits are made before the next job.
    const next = hasDeferredCommits(tx.state) ? null : findPendingJob(tx.state);
    ended = next === null ? null : findEndingAtOnce(next, call, tx);
  }
  const result = startResult(tx);
  return [judged === undefined || judged.kind === 'refused' ? result : addAckResult(result, judged)];
}

/**
 * Records the outcome of the job and advances the run.
 * @returns the outcome of the loop's round, if the job was its exit check
 */
function recordEnding(tx: Transaction, ended: EndedJob): AckResult | undefined {
  if (ended.kind === 'command' && ended.job.acceptance === null) {
    const { event, result } = concludeCommand(tx, ended);
    if (event !== undefined) advance(tx, event);
    return result;
  }
  const event = recordEngineEnding(tx, ended);
  if (event !== null) advanceEngine(tx, [event]);
  return undefined;
}

/** Records the outcome of a job in an execution; returns null while the job has further commands to run. */
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

/**
 * Whether the next job is the commit of all remaining changes, the last one of an execution. Deferred commits of todos
 * must be tried before it; otherwise their files would end up in it.
 */
function isLastCommit(state: RunState): boolean {
  const job = state.engine?.job;
  return job?.kind === 'commit' && job.todo === null;
}

/**
 * Creates what a job needs from the call that carries it out: deadline, permission checks, transactions. Sets
 * `launched` to false; a caller whose job is already running must change that.
 * @param until instant, in milliseconds, by which the call must answer
 * @param kept resources of the call's earlier jobs, for reuse
 */
export function createJobCall(context: Context, run: JobCall['run'], until: number, kept: JobResources): JobCall {
  const { name, workTree } = run.snapshot;
  return {
    context,
    run,
    until,
    launched: false,
    ...kept,
    requirePlace: () => requirePlace(context, run.snapshot),
    isOwn: runsAsProcess,
    transact: (body) => {
      const seen = kept.repositories.getTree(getWorkTree(context, { workTree }));
      return transact(context, name, body, seen === undefined ? undefined : (seen?.present ?? null));
    },
  };
}

/**
 * Stops jobs that a run has withdrawn; call it after the commit that withdraws them. Jobs of a copied run are left
 * alone, because they belong to the original run.
 * @throws any error of `endWithdrawnJob`
 */
export async function stopJobs(context: Context, name: string, jobs: readonly Job[]): Promise<void> {
  if (context.simulation !== undefined) return;
  for (const job of jobs) {
    const { snapshot } = await context.store.read(name);
    if (snapshot === null || (await mayStartCommands(context, snapshot))) await endWithdrawnJob(job, context, name);
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/**
 * Waits until every task that is handed out has a result, or the time is over. Does not check the results.
 * @throws DevCliError `INTERRUPTED`
 */
export async function awaitResults(context: Context, name: string, engine: RunEngine, until: number): Promise<void> {
  const { files } = await context.store.read(name);
  const open = Object.keys(engine.tasks).map(getResultPath);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted; the tasks remain handed out.');
    const left = until - context.clock.now();
    if (left <= 0 || open.every((path) => files.facts(path).kind !== 'missing')) return;
    await sleep(Math.min(pause, left));
  }
}
