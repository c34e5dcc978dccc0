// outside: hook

import { readCapturedRecipe } from '../../run/captured-recipe.js';
import type { ReadContext } from '../../run/context.js';
import type { RunHead } from '../../run/state.js';
import { buildRunView, type RunView } from '../../views/run-view.js';
import { findPlanDifferenceOnDisk } from '../find/find-run.js';

/**
 * Creates the read model of a run. The only thing it may write is a cached finding about an edited plan
 * (living-plan.md, A plan that moved on).
 * @param head the run with its lost documents restored
 * @throws DevCliError `STATE_CORRUPT` for a run whose captured recipe cannot be read
 */
export function createRunView(context: ReadContext, head: RunHead): RunView {
  const { root, reader, clock } = context;
  const { snapshot: state, files, notices } = head;
  return buildRunView({
    ...{ state, files, notices, root, reader },
    captured: readCapturedRecipe(head),
    planMoved: findPlanDifferenceOnDisk(context, head),
    now: clock.now(),
  });
}
