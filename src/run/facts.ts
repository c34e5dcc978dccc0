import type { SectionId } from '../documents/sections.js';
import { type SizeVerdict, settleSize } from '../documents/size-rules.js';
import { listSectionWriters } from '../recipe/resolve/draft.js';
import type { ResolvedBlock, ResolvedRecipe } from '../recipe/resolved.js';
import type { RunEngine } from './engine.js';
import type { GateState, RecipeState } from './recipe-state.js';
import type { RunState } from './state.js';

/** What a run's state says, for those who need not know its form. */

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

/** Returns the size of the work that counts in a run (recipes.md, Size): `large` where nothing is known. */
export function getSize(state: Pick<RunState, 'size'>): SizeVerdict {
  return settleSize(state.size ?? {});
}

/** Whether the user has said the size, or a block has found it. */
export function hasSize(state: Pick<RunState, 'size'>): boolean {
  const { said, found } = state.size ?? {};
  return (said ?? found) !== undefined;
}

/** Why the action was issued by which a run that was begun without a goal asks for it (protocol.md §5). */
export const ASKS_GOAL = 'goal';

/** Whether a run waits for its goal: nothing of its recipe has begun. */
export function awaitsGoal({ pendingAction }: Pick<RunState, 'pendingAction'>): boolean {
  return pendingAction?.cause === ASKS_GOAL;
}

/** Whether a block was skipped. */
export function isSkipped({ steps }: Pick<RecipeState, 'steps'>, { id }: Pick<ResolvedBlock, 'id'>): boolean {
  return steps[id]?.status === 'skipped';
}

/** Whether a block has ended without one of its agents, whose condition did not hold. */
export function isWithout(
  { steps, agents }: Pick<RecipeState, 'steps' | 'agents'>,
  { id }: Pick<ResolvedBlock, 'id'>,
  agent: string,
): boolean {
  const status = steps[id]?.status;
  return (status === 'done' || status === 'failed') && (agents[agent]?.status ?? 'stale') === 'stale';
}

/**
 * Lists the sections of DRAFT.md that a run needs filled: what its recipe requires, but for a section whose every writer was
 * skipped (documents.md, draft validate).
 */
export function listRequiredSections(
  { draft, blocks }: Pick<ResolvedRecipe, 'draft' | 'blocks'>,
  current: Pick<RecipeState, 'steps' | 'agents'>,
): SectionId[] {
  const skipped = blocks.filter((block) => hasNobody(current, block)).map(({ id }) => id);
  if (skipped.length === 0) return draft.required;
  return draft.required.filter((section) => {
    const writers = listSectionWriters(blocks, draft.required, section);
    return writers.length === 0 || !writers.every((id) => skipped.includes(id));
  });
}

/** Whether a block was skipped, or of its agents all. */
function hasNobody(current: Pick<RecipeState, 'steps' | 'agents'>, block: ResolvedBlock): boolean {
  if (isSkipped(current, block)) return true;
  return 'agents' in block && block.agents.every(({ id }) => isWithout(current, block, id));
}
