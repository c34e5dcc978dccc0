import type { Context } from '../../run/context.js';
import { listKept } from '../../work/attempt-commits.js';
import { type LoopGoal, writeGoalStatus } from './goals.js';
import type { LoopState } from './state-schema.js';
import { NEW_GOAL } from './steps/settle.js';

/** Tries a goal again at a person's request: by `retry`, or by an answer in the inbox. */

/** Makes a blocked goal active. @throws DevCliError `SCHEMA_INVALID`, `LOCKED`, `IO` */
export async function activateGoal(
  context: Pick<Context, 'root' | 'clock' | 'ids'>,
  { id, status }: Pick<LoopGoal, 'id' | 'status'>,
): Promise<void> {
  if (status === 'blocked') await writeGoalStatus(context, { id, status: 'active', blockedReason: null });
}

/**
 * Returns the state after a person asks for another attempt: adds the person's note, and counts attempts from 0.
 * Forgets the outcome in the current batch, so that this batch tries the goal again.
 * @param asked.from the kept commit from which the next attempt continues; null to leave that as it is, which is the
 * branch unless an earlier call chose a commit
 */
export function beginAnew(
  state: LoopState,
  { goal, note, from }: { goal: string; note: string | null; from: string | null },
): LoopState {
  const { notes, ...known } = state.goals[goal] ?? NEW_GOAL;
  const now = { ...known, counted: 0, notes: [...notes, ...(note ? [note] : [])], ...(from ? { from } : {}) };
  return forgetOutcome({ ...state, goals: { ...state.goals, [goal]: now } }, goal);
}

function forgetOutcome(state: LoopState, goal: string): LoopState {
  if (state.batch === null) return state;
  const { [goal]: _, ...outcomes } = state.batch.outcomes;
  return { ...state, batch: { ...state.batch, outcomes } };
}

/** Finds the commit that the last attempt of a goal left; null if there is none. @throws DevCliError `GIT_FAILED` */
export async function findLastKept(
  top: string,
  goal: string,
  git: Parameters<typeof listKept>[2],
): Promise<string | null> {
  const number = ([name]: [string, string]): number => Number(name.split('/').at(-1));
  const kept = [...(await listKept(top, `refs/dev-cli/attempts/${goal}`, git))].sort((a, b) => number(a) - number(b));
  return kept.at(-1)?.[1] ?? null;
}
