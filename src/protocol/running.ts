import { noSuchRunError } from '../base/no-such-run.js';
import { renderPlanDifference } from '../engine/act/plan-difference.js';
import type { ReadContext } from '../run/context.js';
import { mayPlanDiffer } from '../run/plan-digests.js';
import type { RunState } from '../run/state.js';
import type { StreamState } from '../store/store.js';

/** Whether dev-cli itself is at work for the run: an external command, a commit. */
export function hasRunningJob(state: RunState | null): boolean {
  return state?.pendingAction?.action.action === 'running';
}

/** Whether commits that had to wait can be made now, as far as git can: no worker is at the sources (engine.md, Commits). */
export function hasDeferredCommits(state: RunState | null): boolean {
  const engine = state?.engine ?? null;
  if (engine === null || engine.deferred.length === 0 || state?.status === 'aborted') return false;
  return Object.values(engine.tasks).every(({ substep }) => substep !== 'worker');
}

/** The id of the action that is pending; null where none is, or the run has ended. */
export function findPendingId(snapshot: RunState | null): string | null {
  const action = snapshot?.pendingAction?.action;
  return action === undefined || action.action === 'done' ? null : action.actionId;
}

/** A run that exists. @throws DevCliError `NO_SUCH_RUN` and what the store throws */
export async function readRun(
  context: ReadContext,
  name: string,
): Promise<StreamState<RunState> & { snapshot: RunState }> {
  const head = await context.store.read(name);
  if (head.snapshot === null) throw noSuchRunError(name);
  return { ...head, snapshot: head.snapshot };
}

/** The warning that the plan on disk is no longer the captured one; null where it is, or no execution can go on. */
export function findPlanDifference({
  snapshot,
  files,
}: Pick<StreamState<RunState>, 'snapshot' | 'files'>): string | null {
  const engine = snapshot?.engine ?? null;
  if (snapshot === null || engine === null || snapshot.status === 'completed' || snapshot.status === 'aborted')
    return null;
  return mayPlanDiffer(engine, files) ? renderPlanDifference(snapshot, files) : null;
}
