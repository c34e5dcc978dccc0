import { DevCliError } from '../base/errors.js';
import type { GateState, RecipeDraft, RecipeState } from './recipe-state.js';
import type { RunDraft, RunState } from './state.js';

/**
 * Returns the recipe at work: of a workflow, that of the current phase; of a run that has ended, the last one.
 * @throws DevCliError `INTERNAL` when no recipe has begun
 */
export function getCurrent(state: RunDraft): RecipeDraft;
export function getCurrent(state: Pick<RunState, 'recipes'>): RecipeState;
export function getCurrent({ recipes }: Pick<RunState, 'recipes'>): RecipeState {
  const current = recipes.at(-1);
  if (current === undefined) throw new DevCliError('INTERNAL', 'No recipe of the run has begun.');
  return current;
}

/** Whether a command of this recipe is red, or a review has rejected (recipes.md, Loops). */
export function hasFailures({ steps, reviewRounds }: Pick<RecipeState, 'steps' | 'reviewRounds'>): boolean {
  return (
    Object.values(steps).some(({ red }) => red !== undefined) ||
    reviewRounds.some(({ verdict }) => verdict === 'REJECT')
  );
}

/** Returns the decisions of all recipes of a run; of those with one name, the latest. */
export function collectGates({ recipes }: Pick<RunState, 'recipes'>): Record<string, GateState> {
  return Object.assign({}, ...recipes.map(({ gates }) => gates));
}
