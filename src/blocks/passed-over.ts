import type { ResolvedBlock } from '../recipe/resolved.js';
import type { RecipeState } from '../run/recipe-state.js';

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
