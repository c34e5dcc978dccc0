import { deferredTried } from '../engine/act/commit-job.js';
import { commitMessage, RESIDUAL } from '../engine/act/commit-words.js';
import { writeReport } from '../engine/view/report.js';
import { inspect } from '../jobs/external.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { Turn } from '../run/turn.js';
import { directoryOf } from './command-ending.js';
import { type CommitJob, commit } from './commit.js';
import { joined, type Told, toldBy } from './envelope.js';
import { mayStart } from './trust/place.js';
import { transactTurn } from './turns.js';
import { renewEnd } from './walk/end.js';

/** Seconds that a commit without slow hooks takes at most; even a call that is not to wait spends them. */
const MOMENT = 5;

/**
 * Makes the commits that had to wait, as far as they can be made now, also of a run that has ended (engine.md, commit). To
 * be called while no agent is at work on the sources. Null when nothing is different.
 * @param until instant, in milliseconds, by which the call must answer
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; what a transaction throws
 */
export async function retryDeferred(context: Context, snapshot: RunState, until: number): Promise<Told | null> {
  // A run from elsewhere is read all the same: its commits go on waiting.
  if (!(await mayStart(context, snapshot))) return null;
  let told: Told | null = null;
  const enough = Math.max(until, context.clock.now() + Math.min(MOMENT, context.answerWithin) * 1000);
  for (const id of snapshot.engine?.deferred ?? []) {
    const done = await retried(context, snapshot, id, enough);
    if (done === null) break;
    if (done.told !== null) told = told === null ? done.told : joined(told, done.told);
    // They are made in their order: what keeps one from being made keeps the others, too.
    if (!done.settled) break;
  }
  return told;
}

interface Tried {
  /** Whether it waits no longer. */
  settled: boolean;
  told: Told | null;
}

/** One more try at one of them; null while it is at work. */
async function retried(context: Context, snapshot: RunState, id: string, until: number): Promise<Tried | null> {
  const todo = id === RESIDUAL ? null : id;
  const job: CommitJob = {
    kind: 'commit',
    todo,
    stage: todo === null ? 'residualCommit' : 'commit',
    key: `${snapshot.runId}/${id}`,
    message: await transactTurn(context, snapshot.name, (turn) => commitMessage(turn, todo)),
    startedAt: snapshot.updatedAt,
  };
  // Each try is the first in its directory.
  const waiting = { until, launched: false, find: () => undefined };
  const result = await commit(context, snapshot, job, tryDirectory(context, snapshot, id), waiting);
  if (result === null) return null;
  return transactTurn(context, snapshot.name, (turn) => {
    const { runId, engine } = turn.state;
    if (runId !== snapshot.runId || engine?.deferred.includes(id) !== true) return { settled: true, told: null };
    const isNews = deferredTried(turn, id, result);
    if (isNews) renewed(turn);
    const settled = turn.state.engine?.deferred.includes(id) !== true;
    return { settled, told: isNews ? toldBy(turn) : null };
  });
}

/** A run that has ended tells of its commits in its report and its last action. */
function renewed(turn: Turn): void {
  if (turn.state.pendingAction?.action.action !== 'done') return;
  writeReport(turn);
  renewEnd(turn);
}

/** Where the runner of the next try has its records: one that is over and made no commit is not the last. */
function tryDirectory(context: Context, { name, lastAction }: RunState, id: string): string {
  for (let n = 1; ; n += 1) {
    const directory = directoryOf(context, name, { directory: `actions/a${lastAction}/deferred-${id}-${n}` });
    const seen = inspect(directory);
    const isOver = seen.state === 'interrupted' || (seen.state === 'finished' && seen.exit.exit !== 0);
    if (!isOver) return directory;
  }
}
