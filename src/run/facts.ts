import type { SectionId } from '../documents/sections.js';
import { type SizeVerdict, settleSize } from '../documents/size-rules.js';
import { listSectionWriters } from '../recipe/resolve/draft.js';
import type { ResolvedBlock, ResolvedRecipe } from '../recipe/resolved.js';
import type { RunEngine } from './engine.js';
import type { GateState, RecipeState } from './recipe-state.js';
import type { RunState } from './state.js';

/** Answers questions about a run's state, so that callers need not know its layout. */

/** Lists the states of all recipes of a run, oldest first: those of earlier phases, then the current one. */
export function listRecipeStates(state: RunState): RecipeState[] {
  return [...(state.workflow?.earlier ?? []), state];
}

/** Returns the latest execution of a run, in any of its recipes. */
export function findLastEngine(state: RunState): RunEngine | null {
  return listRecipeStates(state).findLast(({ engine }) => engine !== null)?.engine ?? null;
}

/** Returns whether a command of this recipe failed, or a reviewer rejected the work (recipes.md, Loops). */
export function hasFailures({ steps, reviews }: Pick<RecipeState, 'steps' | 'reviews'>): boolean {
  return (
    Object.values(steps).some(({ red }) => red !== undefined) || reviews.some(({ verdict }) => verdict === 'REJECT')
  );
}

/** Returns the gate decisions of all recipes of a run; of two gates with the same name, the later decision. */
export function collectGates(state: RunState): Record<string, GateState> {
  return Object.assign({}, ...listRecipeStates(state).map(({ gates }) => gates));
}

/** Returns the size that counts in a run (recipes.md, Size): `large` if nothing is known. */
export function getSize(state: Pick<RunState, 'size'>): SizeVerdict {
  return settleSize(state.size ?? {});
}

/** Returns whether the size is known: the user has stated it, or a block has determined it. */
export function hasSize(state: Pick<RunState, 'size'>): boolean {
  const { said, found } = state.size ?? {};
  return (said ?? found) !== undefined;
}

/** The cause of the action that asks for the goal of a run begun without one (protocol.md §5). */
export const ASKS_GOAL = 'goal';

/** Returns whether a run is waiting for its goal. While it does, no block of its recipe has begun. */
export function awaitsGoal({ pendingAction }: Pick<RunState, 'pendingAction'>): boolean {
  return pendingAction?.cause === ASKS_GOAL;
}

/** Returns whether a block was skipped in this recipe. */
export function isSkipped({ steps }: Pick<RecipeState, 'steps'>, { id }: Pick<ResolvedBlock, 'id'>): boolean {
  return steps[id]?.status === 'skipped';
}

/** Returns whether a block ended without this agent, because the agent's condition was false. */
export function isWithout(
  { steps, agents }: Pick<RecipeState, 'steps' | 'agents'>,
  { id }: Pick<ResolvedBlock, 'id'>,
  agent: string,
): boolean {
  const status = steps[id]?.status;
  return (status === 'done' || status === 'failed') && (agents[agent]?.status ?? 'stale') === 'stale';
}

/**
 * Lists the sections of DRAFT.md that a run must have filled: those that its recipe requires, except any whose writers
 * were all skipped (documents.md, draft validate).
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

/** Returns whether a block was skipped, or all of its agents were. */
function hasNobody(current: Pick<RecipeState, 'steps' | 'agents'>, block: ResolvedBlock): boolean {
  if (isSkipped(current, block)) return true;
  return 'agents' in block && block.agents.every(({ id }) => isWithout(current, block, id));
}
