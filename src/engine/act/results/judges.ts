import type { PlanAcceptance, PlanTodo } from '../../../plan/model/schema.js';
import type { Transaction } from '../../../run/transaction.js';
import { getTodoBody, readPlanHead, requireEngine, requireEngineRecipe } from '../plan/plan.js';

/**
 * Decides who judges criteria that no command can: a verifier per todo, or one code review (engine.md, Verification).
 */

/** An acceptance that an agent judges. */
export type Assertion = Extract<PlanAcceptance, { kind: 'assertion' }>;

/** Lists the assertions of a todo, which an agent judges. */
export function listAssertions({ acceptance }: Pick<PlanTodo, 'acceptance'>): Assertion[] {
  return acceptance.filter((item) => item.kind === 'assertion');
}

/** Returns whether a todo has an assertion or a must-not of its own that only an agent can judge. */
export function hasSomethingToJudge(todo: Pick<PlanTodo, 'acceptance' | 'mustNotDo'>): boolean {
  return listAssertions(todo).length > 0 || todo.mustNotDo.some((rule) => typeof rule === 'string');
}

/** Returns whether the todo has a verifier of its own, as every verification todo has. */
export function isJudgedByItself(tx: Transaction, { type }: Pick<PlanTodo, 'type'>): boolean {
  return type === 'verification' || !isJudgedInReview(tx);
}

/** Returns whether a todo needs a worker. A verification todo needs none if it has a judge and reports no values. */
export function needsWorker(todo: Pick<PlanTodo, 'type' | 'acceptance' | 'outputs'>): boolean {
  return todo.type === 'work' || todo.outputs.length > 0 || listAssertions(todo).length === 0;
}

/** Lists the todos of this run that the code review judges, in plan order. */
export function listReviewedTodos(tx: Transaction): PlanTodo[] {
  if (!isJudgedInReview(tx)) return [];
  const { order, todos } = requireEngine(tx);
  return order
    .filter((id) => todos[id]?.status === 'done' && (todos[id]?.attempt ?? 0) > 0)
    .map((id) => getTodoBody(tx, id))
    .filter((todo) => todo.type === 'work' && hasSomethingToJudge(todo));
}

/** Returns whether the code review judges assertions. By default it does so for a plan of size middle. */
function isJudgedInReview(tx: Transaction): boolean {
  const { policies, finalize, stages } = requireEngineRecipe(tx).program;
  if (!finalize.includes('codeReview') || !stages.some(({ id }) => id === 'verify')) return false;
  return (policies.assertionsAt ?? (readPlanHead(tx).size === 'middle' ? 'review' : 'todo')) === 'review';
}
