import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { MovedPlan } from './events.js';
import { listRedoneTodos } from './scheduler.js';

/** What a plan that moved on means for the todos of an execution (living-plan.md, plan apply). Pure. */

/** What becomes of a todo. */
export type Verdict =
  /** It reads as before. */
  | 'same'
  | 'added'
  /** Changed and not begun, or between two attempts: the next attempt gets the new text. */
  | 'taken up'
  /** Changed at work, or failed: a new attempt, which does not count. */
  | 'again'
  /** Changed and done: it stays as it was done. */
  | 'stays'
  /** Done, and to be done again by the caller's wish. */
  | 'reopened'
  /** It builds on a reopened one. */
  | 'redone'
  /** Gone from the plan before it was done. */
  | 'withdrawn'
  /** Gone from the plan and done: its commit stays. */
  | 'kept';

export interface TodoVerdict {
  todo: string;
  verdict: Verdict;
}

type Rows = Readonly<Pick<EngineState, 'order' | 'todos'>>;

/** Judges every todo of the plan and of the execution: those of the plan in its order, then those that it has no more. */
export function judgeTodos(state: Rows, { todos, gone, reopen }: MovedPlan): TodoVerdict[] {
  const reopened = new Set(reopen);
  const redone = new Set(reopen.length === 0 ? [] : listRedoneTodos(state, reopen));
  const judge = (row: TodoState | undefined, isChanged: boolean): Verdict => {
    if (row === undefined) return 'added';
    // What came back under the id of a todo that was gone, with another text, is another todo; the commit stays.
    if (reopened.has(row.id) || (row.gone === true && isChanged)) return 'reopened';
    const verdict = isChanged ? judgeChanged(row) : 'same';
    const isBegun = row.status !== 'pending' || row.attempt > 0;
    return redone.has(row.id) && isBegun && verdict !== 'again' ? 'redone' : verdict;
  };
  return [
    ...todos.map(({ todo, isChanged }) => ({ todo: todo.id, verdict: judge(state.todos[todo.id], isChanged) })),
    ...gone.map(({ id }): TodoVerdict => ({ todo: id, verdict: judgeGone(state.todos[id]) })),
  ];
}

function judgeChanged({ status }: TodoState): Verdict {
  if (status === 'done') return 'stays';
  return status === 'pending' || status === 'stale' ? 'taken up' : 'again';
}

function judgeGone(row: TodoState | undefined): Verdict {
  if (row?.gone === true) return 'same';
  return row?.status === 'done' ? 'kept' : 'withdrawn';
}

/** Whether the plan asks for anything at all. */
export function isMoved(verdicts: readonly TodoVerdict[], { isOtherwiseChanged }: MovedPlan): boolean {
  return isOtherwiseChanged || verdicts.some(({ verdict }) => verdict !== 'same');
}

/** Whether a todo leaves the wave, with its task, its job or its gate. */
export function isInterrupted(verdict: Verdict): boolean {
  return verdict === 'again' || verdict === 'reopened' || verdict === 'redone' || verdict === 'withdrawn';
}

/** Whether the run is past its todos, and has to come back to them for a plan that moved on. */
export function isPastTodos({ stage }: Pick<EngineState, 'stage'>): boolean {
  return !['approvePlan', 'approveCommands', 'stateBegin', 'todos'].includes(stage);
}
