import type { RunEngine } from './engine.js';
import type { GateState, RecipeState } from './recipe-state.js';
import type { RunState } from './state.js';

/** What all recipes of a run have, oldest first: those that earlier phases have left, and the one at work. */
export function listRecipes(state: RunState): RecipeState[] {
  return [...(state.workflow?.earlier ?? []), state];
}

/** Returns the execution that began last in a run, by whichever of its recipes. */
export function findLastEngine(state: RunState): RunEngine | null {
  return listRecipes(state).findLast(({ engine }) => engine !== null)?.engine ?? null;
}

/** Whether a command of this recipe is red, or a review has rejected (recipes.md, Loops). */
export function hasFailures({ steps, reviews }: Pick<RecipeState, 'steps' | 'reviews'>): boolean {
  return (
    Object.values(steps).some(({ red }) => red !== undefined) || reviews.some(({ verdict }) => verdict === 'REJECT')
  );
}

/** Returns the decisions of all recipes of a run; of those with one name, the latest. */
export function collectGates(state: RunState): Record<string, GateState> {
  return Object.assign({}, ...listRecipes(state).map(({ gates }) => gates));
}
