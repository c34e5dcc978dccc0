import { readCapturedRecipe } from '../run/captured-recipe.js';
import type { ReadContext } from '../run/context.js';
import type { RunHead } from '../run/state.js';
import { buildRunView, type RunView } from '../views/run-view.js';
import { findMovedPlan } from './find-run.js';

/**
 * The read model of a run.
 * @throws DevCliError `STATE_CORRUPT` for a run whose captured recipe cannot be read
 */
export function createRunView({ root, reader, clock }: ReadContext, head: RunHead): RunView {
  const { snapshot: state, files, notices } = head;
  return buildRunView({
    ...{ state, files, notices, root, reader },
    captured: readCapturedRecipe(head),
    planMoved: findMovedPlan(head),
    now: clock.now(),
  });
}
