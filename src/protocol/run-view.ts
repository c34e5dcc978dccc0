import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { StreamState } from '../store/store.js';
import { type RunView, runView } from '../views/run-view.js';
import { findPlanDifference, type QueryDependencies, readCapturedRecipe } from './transact.js';

/**
 * A run that was read, as it is told of.
 * @throws DevCliError `STATE_CORRUPT` for a run whose captured recipe cannot be read
 */
export function viewOf(
  { root, reader, clock }: ReadContext,
  head: StreamState<RunState> & { snapshot: RunState },
  { recompile, planMoved }: QueryDependencies,
): RunView {
  const { snapshot: state, files, notices } = head;
  const captured = readCapturedRecipe(head, recompile);
  return runView({
    state,
    captured,
    files,
    notices,
    planMoved: findPlanDifference(head, planMoved),
    root,
    reader,
    now: clock.now(),
  });
}
