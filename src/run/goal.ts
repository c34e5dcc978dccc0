import type { RunState } from './state.js';

/** Why the action was issued by which a run that was begun without a goal asks for it (protocol.md §5). */
export const ASKS_GOAL = 'goal';

/** Whether a run waits for its goal: nothing of its recipe has begun. */
export function awaitsGoal({ pendingAction }: Pick<RunState, 'pendingAction'>): boolean {
  return pendingAction?.cause === ASKS_GOAL;
}
