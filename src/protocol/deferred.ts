import { recordDeferredRetry } from '../engine/act/commit-job.js';
import { buildCommitMessage } from '../engine/act/commit-message.js';
import { writeReport } from '../engine/view/report.js';
import { awaitCommit } from '../jobs/commit.js';
import { inspect } from '../jobs/detached.js';
import { type CommitJob, getRecordsPath, RESIDUAL } from '../jobs/job.js';
import type { Call } from '../jobs/launch.js';
import type { Transaction } from '../run/transaction.js';
import type { FoldedJournal } from '../views/envelope.js';
import { startResult } from './envelope.js';
import { mayStart } from './trust/place.js';
import { refreshDoneAction } from './walk/end.js';

/** Seconds that a commit without slow hooks takes at most; even a call that is not to wait spends them. */
const MOMENT = 5;

/**
 * Makes the commits that had to wait, as far as they can be made now, also of a run that has ended (engine.md, Commits). To
 * be called while no agent is at work on the sources.
 * @returns what is different now
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; what a transaction throws
 */
export async function retryDeferred(call: Call): Promise<FoldedJournal[]> {
  const { context, run, until } = call;
  // A run from elsewhere is read all the same: its commits go on waiting.
  if (!(await mayStart(context, run.snapshot))) return [];
  const told: FoldedJournal[] = [];
  const enough = Math.max(until, context.clock.now() + Math.min(MOMENT, context.answerWithin) * 1000);
  for (const id of run.snapshot.engine?.deferred ?? []) {
    const done = await retryCommit({ ...call, until: enough }, id);
    told.push(...(done?.told ?? []));
    // They are made in their order: what keeps one from being made keeps the others, too.
    if (done?.settled !== true) break;
  }
  return told;
}

interface RetryResult {
  /** Whether it waits no longer. */
  settled: boolean;
  told: FoldedJournal[];
}

/** One more try at one of them; null while it is at work. */
async function retryCommit(call: Call, id: string): Promise<RetryResult | null> {
  const { runId } = call.run.snapshot;
  const ended = await awaitCommit(await buildCommitJob(call, id), call);
  if (ended === null) return null;
  return call.transact((tx) => {
    const { state } = tx;
    const waits = () => state.engine?.deferred.includes(id) === true;
    if (state.runId !== runId || !waits()) return { settled: true, told: [] };
    const isNews = recordDeferredRetry(tx, id, ended);
    if (isNews) refreshFinalReport(tx);
    return { settled: !waits(), told: isNews ? [startResult(tx)] : [] };
  });
}

/** The next try at a commit as a job. It stands in no state: nobody waits for it, and each try is the first in its directory. */
async function buildCommitJob(call: Call, id: string): Promise<CommitJob> {
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

/** A run that has ended tells of its commits in its report and its last action. */
function refreshFinalReport(tx: Transaction): void {
  if (tx.state.pendingAction?.action.action !== 'done') return;
  writeReport(tx);
  refreshDoneAction(tx);
}

/** Where the runner of the next try has its records: one that is over and made no commit is not the last. */
function findTryDirectory({ context, run: { snapshot } }: Call, id: string): string {
  for (let n = 1; ; n += 1) {
    const directory = `actions/a${snapshot.lastAction}/deferred-${id}-${n}`;
    const seen = inspect(getRecordsPath(context, snapshot.name, directory));
    const isOver = seen.state === 'interrupted' || (seen.state === 'finished' && seen.exit.exit !== 0);
    if (!isOver) return directory;
  }
}
