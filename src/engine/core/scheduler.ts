import { mayOverlap } from '../../documents/globs.js';
import { listReached } from '../../plan/model/graph.js';
import type { EngineState, TodoState } from '../../run/engine-rows.js';

/**
 * Selects the todos that are handed out together next, in plan order: their dependencies are done, and no two may touch
 * the same file (engine.md, Waves). The first todo that can start is always selected, so no todo starves.
 * @param limit the maximum number of todos
 */
export function selectWave({ order, todos }: Pick<EngineState, 'order' | 'todos'>, limit: number): string[] {
  const wave: TodoState[] = [];
  for (const id of order) {
    if (wave.length >= limit) break;
    const todo = todos[id];
    if (todo === undefined || !isRunnable(todo, todos)) continue;
    if (wave.every((chosen) => !mayOverlap(chosen, todo))) wave.push(todo);
  }
  return wave.map(({ id }) => id);
}

function isRunnable(todo: TodoState, todos: EngineState['todos']): boolean {
  if (todo.status !== 'pending' && todo.status !== 'stale') return false;
  return todo.dependsOn.every((id) => todos[id]?.status === 'done');
}

type Plan = Readonly<Record<'todos', Readonly<EngineState['todos']>>> & { readonly order: readonly string[] };

/** Lists, in plan order, every todo that depends on `id` directly or through others. */
export function listDependents(plan: Plan, id: string): string[] {
  const found = listReached(indexDependents(plan), id);
  return plan.order.filter((candidate) => found.has(candidate));
}

/**
 * Maps each todo to its dependents. Leaves out dependents that were removed from the plan, as they wait for nothing.
 */
function indexDependents({ todos }: Plan): Map<string, string[]> {
  const after = new Map<string, string[]>();
  for (const { id: dependent, dependsOn, gone } of Object.values(todos)) {
    if (gone === true) continue;
    for (const dependency of dependsOn) {
      const known = after.get(dependency);
      if (known === undefined) after.set(dependency, [dependent]);
      else known.push(dependent);
    }
  }
  return after;
}

/** Groups the blocked todos under the failed todo that blocks them, in plan order. Leaves out empty groups. */
export function groupBlockedTodos(plan: Plan): Record<string, string[]> {
  const failed = plan.order.filter((id) => plan.todos[id]?.status === 'failed');
  if (failed.length === 0) return {};
  const after = indexDependents(plan);
  const blocked = failed.map((id): [string, string[]] => {
    const found = listReached(after, id);
    return [id, plan.order.filter((candidate) => found.has(candidate) && plan.todos[candidate]?.status !== 'done')];
  });
  return Object.fromEntries(blocked.filter(([, todos]) => todos.length > 0));
}

/**
 * Lists the todos that an `INVALIDATE` redoes, in plan order: the given todos and everything that depends on them.
 * @param todos null for all todos that are not done
 */
export function listRedoneTodos(
  state: Pick<EngineState, 'order' | 'todos'>,
  todos: readonly string[] | null,
): string[] {
  if (todos === null) return state.order.filter((id) => state.todos[id]?.status !== 'done');
  const redone = new Set(todos.flatMap((id) => [id, ...listDependents(state, id)]));
  return state.order.filter((id) => redone.has(id));
}
