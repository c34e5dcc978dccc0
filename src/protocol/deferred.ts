import { recordDeferredRetry } from '../engine/act/commits/commit-job.js';
import { buildCommitMessage } from '../engine/act/commits/message.js';
import { writeReport } from '../engine/view/report.js';
import { awaitCommit } from '../jobs/commit.js';
import { inspectJob } from '../jobs/detached.js';
import { type CommitJob, getRecordsPath, RESIDUAL } from '../jobs/job.js';
import type { JobCall } from '../jobs/launch.js';
import { tidyJob } from '../jobs/life.js';
import type { Transaction } from '../run/transaction.js';
import type { CallResult } from '../views/action-text.js';
import { startResult } from './envelope.js';
import { mayStartCommands } from './trust/place.js';
import { refreshDoneAction } from './walk/end.js';

/** Seconds granted to a commit without slow hooks, even by a call that does not wait. */
const MOMENT = 5;

/**
 * Makes as many deferred commits as possible now, even those of an ended run (engine.md, Commits). Call it only while
 * no agent works on the sources.
 * @returns one result for each transaction that changed something
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; any error of a transaction
 */
export async function retryDeferred(call: JobCall): Promise<CallResult[]> {
  const { context, run, until } = call;
  // In an untrusted run, the commits keep waiting; the call does not fail because of them.
  if (!(await mayStartCommands(context, run.snapshot))) return [];
  const results: CallResult[] = [];
  const enough = Math.max(until, context.clock.now() + Math.min(MOMENT, context.answerWithin) * 1000);
  for (const id of run.snapshot.engine?.deferred ?? []) {
    const retry = await retryCommit({ ...call, until: enough }, id);
    results.push(...(retry?.results ?? []));
    // Commits are made in order, so a commit that must still wait also blocks those after it.
    if (retry?.settled !== true) break;
  }
  return results;
}

interface RetryResult {
  /** Whether the commit no longer waits. */
  settled: boolean;
  results: CallResult[];
}

/** Tries one deferred commit again; returns null while git is still running. */
async function retryCommit(call: JobCall, id: string): Promise<RetryResult | null> {
  const { runId } = call.run.snapshot;
  const ended = await awaitCommit(await buildCommitJob(call, id), call);
  if (ended === null) return null;
  const result = await call.transact((tx) => {
    const { state } = tx;
    const waits = () => state.engine?.deferred.includes(id) === true;
    if (state.runId !== runId || !waits()) return { settled: true, results: [] };
    const changed = recordDeferredRetry(tx, id, ended);
    if (changed) refreshFinalReport(tx);
    return { settled: !waits(), results: changed ? [startResult(tx)] : [] };
  });
  tidyJob(ended.job, call.context, call.run.snapshot.name);
  return result;
}

/**
 * Builds a job for the next attempt at the commit. The state does not record the job, since no action waits for it and
 * each attempt has its own directory.
 */
async function buildCommitJob(call: JobCall, id: string): Promise<CommitJob> {
  const { runId, lastAction, workTree } = call.run.snapshot;
  const todo = id === RESIDUAL ? null : id;
  const message = await call.transact((tx) => buildCommitMessage(tx, todo));
  const key = `${runId}/${id}`;
  return {
    kind: 'commit',
    actionId: `a${lastAction}`,
    key,
    directory: findTryDirectory(call, id),
    workTree,
    todo,
    message,
  };
}

/** Updates the report and the `done` action of an ended run, since both list its commits. */
function refreshFinalReport(tx: Transaction): void {
  if (tx.state.pendingAction?.action !== 'done') return;
  writeReport(tx);
  refreshDoneAction(tx);
}

/**
 * Returns the directory of the newest attempt's records or, if that attempt ended without a commit, of a new attempt.
 */
function findTryDirectory({ context, run: { snapshot } }: JobCall, id: string): string {
  for (let n = 1; ; n += 1) {
    const directory = `actions/a${snapshot.lastAction}/deferred-${id}-${n}`;
    const seen = inspectJob(getRecordsPath(context, snapshot.name, directory));
    const isOver = seen.state === 'interrupted' || (seen.state === 'finished' && seen.exit.exit !== 0);
    if (!isOver) return directory;
  }
}
