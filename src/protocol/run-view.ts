import { readCapturedRecipe } from '../run/captured-recipe.js';
import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { StreamState } from '../store/store.js';
import { buildRunView, type RunView } from '../views/run-view.js';
import { findPlanDifference } from './running.js';

/**
 * A run that was read, as it is told of.
 * @throws DevCliError `STATE_CORRUPT` for a run whose captured recipe cannot be read
 */
export function createRunView(
  { root, reader, clock }: ReadContext,
  head: StreamState<RunState> & { snapshot: RunState },
): RunView {
  const { snapshot: state, files, notices } = head;
  const captured = readCapturedRecipe(head);
  return buildRunView({
    state,
    captured,
    files,
    notices,
    planMoved: findPlanDifference(head),
    root,
    reader,
    now: clock.now(),
  });
}
