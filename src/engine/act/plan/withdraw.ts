import { withdrawCommands } from '../../../jobs/job.js';
import type { Transaction } from '../../../run/transaction.js';
import { changeTodo, getTodoRow } from '../todo-rows.js';
import { requireEngine } from './plan.js';

/**
 * Withdraws the open tasks and the job of these todos. Acknowledging such a task is then refused as stale.
 * @param options.whole whether to withdraw also the tasks and the job that belong to no todo, such as the code review
 */
export function withdrawTodos(
  tx: Transaction,
  block: string,
  todos: ReadonlySet<string>,
  { whole }: { whole: boolean },
): void {
  const engine = requireEngine(tx);
  const isMeant = (todo: string | null) => (todo === null ? whole : todos.has(todo));
  for (const [actionId, { todoId }] of Object.entries(engine.tasks)) {
    if (!isMeant(todoId)) continue;
    delete engine.tasks[actionId];
    // These are commands that the task's worker started with `dev-cli check`.
    withdrawCommands(tx, actionId);
  }
  if (engine.job !== null && isMeant(engine.job.todo)) {
    // The commit is not stopped and git may still make it, so the todo's next commit gets a new baseline.
    if (engine.job.kind === 'commit' && engine.job.todo !== null) {
      changeTodo(engine, engine.job.todo, { baseline: undefined });
    }
    engine.job = null;
    tx.state.commands = {};
  }
  // A deferred commit is dropped: the todo's next commit uses the same baseline, so it includes the uncommitted work.
  engine.deferred = engine.deferred.filter((id) => !todos.has(id));
  const reported = [...todos].filter((id) => getTodoRow(engine, id).report !== undefined);
  for (const id of reported) changeTodo(engine, id, { report: undefined });
  const { acknowledged } = tx.state;
  for (const [actionId, { block: of, todo }] of Object.entries(acknowledged)) {
    if (of === block && todo !== undefined && todos.has(todo)) delete acknowledged[actionId];
  }
}
