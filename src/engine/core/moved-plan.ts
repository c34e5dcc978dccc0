import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { PlanUpdate } from './events.js';
import { listRedoneTodos } from './scheduler.js';

/** Decides what a new version of the plan means for each todo of an execution (living-plan.md, plan apply). Pure. */

/** What happens to a todo when a new version of the plan is applied. */
export type TodoUpdateKind =
  /** Its text is unchanged. */
  | 'same'
  | 'added'
  /** Changed before its first attempt or between two attempts: the next attempt gets the new text. */
  | 'taken up'
  /** Changed while in progress or after it failed: it gets a new attempt that is not counted as a retry. */
  | 'again'
  /** Changed after it was done: the work stays as it is. */
  | 'stays'
  /**
   * Will be done again because the caller asked for it, or because it was removed and its id came back with new text.
   */
  | 'reopened'
  /** Will be done again because it depends on a reopened todo. */
  | 'redone'
  /** Removed from the plan before it was done. */
  | 'withdrawn'
  /** Removed from the plan after it was done: its commit stays. */
  | 'kept';

export interface TodoVerdict {
  todo: string;
  verdict: TodoUpdateKind;
}

type Rows = Readonly<Pick<EngineState, 'order' | 'todos'>>;

/**
 * Judges every todo: first those of the new plan, in its order, then the execution's todos that were removed from it.
 */
export function judgeTodos(state: Rows, { todos, gone, reopen }: PlanUpdate): TodoVerdict[] {
  const reopened = new Set(reopen);
  const redone = new Set(reopen.length === 0 ? [] : listRedoneTodos(state, reopen));
  const judge = (row: TodoState | undefined, isChanged: boolean): TodoUpdateKind => {
    if (row === undefined) return 'added';
    // If the id of a removed todo comes back with a different text, it stands for a new todo, which has to be done. The
    // commit of the removed todo stays.
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

function judgeChanged({ status }: TodoState): TodoUpdateKind {
  if (status === 'done') return 'stays';
  return status === 'pending' || status === 'stale' ? 'taken up' : 'again';
}

function judgeGone(row: TodoState | undefined): TodoUpdateKind {
  if (row?.gone === true) return 'same';
  return row?.status === 'done' ? 'kept' : 'withdrawn';
}

/** Returns whether the new plan differs in any way from the plan that the execution carries out. */
export function isPlanChanged(verdicts: readonly TodoVerdict[], { isOtherwiseChanged }: PlanUpdate): boolean {
  return isOtherwiseChanged || verdicts.some(({ verdict }) => verdict !== 'same');
}

/** Returns whether a todo with this verdict leaves the wave, together with its open task, job or gate. */
export function isInterrupted(verdict: TodoUpdateKind): boolean {
  return verdict === 'again' || verdict === 'reopened' || verdict === 'redone' || verdict === 'withdrawn';
}

/** Returns whether the run has left the stage `todos`, so that a new version of the plan has to bring it back. */
export function isPastTodos({ stage }: Pick<EngineState, 'stage'>): boolean {
  return !['approvePlan', 'approveCommands', 'stateBegin', 'todos'].includes(stage);
}
