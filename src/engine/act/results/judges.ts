import type { PlanAcceptance, PlanTodo } from '../../../plan/model/schema.js';
import type { Transaction } from '../../../run/transaction.js';
import { getTodoBody, readPlanHead, requireEngine, requireEngineRecipe } from '../plan/plan.js';

/** Who judges what no command can: a verifier after each todo, or the code review for all of them (engine.md, Verification). */

/** A criterion that an agent judges. */
export type Assertion = Extract<PlanAcceptance, { kind: 'assertion' }>;

/** Lists the criteria of a todo that an agent judges. */
export function listAssertions({ acceptance }: Pick<PlanTodo, 'acceptance'>): Assertion[] {
  return acceptance.filter((item) => item.kind === 'assertion');
}

/** Whether a todo has a criterion or a rule of its own that only an agent can judge. */
export function hasSomethingToJudge(todo: Pick<PlanTodo, 'acceptance' | 'mustNotDo'>): boolean {
  return listAssertions(todo).length > 0 || todo.mustNotDo.some((rule) => typeof rule === 'string');
}

/** Whether a todo has a judge of its own. A verification todo always has one: it is nothing else. */
export function isJudgedByItself(tx: Transaction, { type }: Pick<PlanTodo, 'type'>): boolean {
  return type === 'verification' || !isJudgedInReview(tx);
}

/**
 * Whether a verification todo needs a worker: not where a judge does all of it, and there are no values to report.
 */
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

/** A plan of size middle has its assertions judged at the end, unless the recipe says otherwise or reviews nothing. */
function isJudgedInReview(tx: Transaction): boolean {
  const { policies, finalize, stages } = requireEngineRecipe(tx).program;
  if (!finalize.includes('codeReview') || !stages.some(({ id }) => id === 'verify')) return false;
  return (policies.assertionsAt ?? (readPlanHead(tx).size === 'middle' ? 'review' : 'todo')) === 'review';
}
