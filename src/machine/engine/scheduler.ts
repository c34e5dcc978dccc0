import { overlaps } from './overlap.js';
import type { EngineState, TodoState } from './state.js';

/**
 * The todos that are handed out together next, in plan order: all their dependencies are done, no two may touch the same
 * file, at most `limit` (engine.md, Waves). The first that can start always does, so none waits for ever.
 */
export function nextWave({ order, todos }: Pick<EngineState, 'order' | 'todos'>, limit: number): string[] {
  const wave: TodoState[] = [];
  for (const id of order) {
    if (wave.length >= limit) break;
    const todo = todos[id];
    if (todo === undefined || !isRunnable(todo, todos)) continue;
    if (wave.every((chosen) => !overlaps(chosen, todo))) wave.push(todo);
  }
  return wave.map(({ id }) => id);
}

function isRunnable(todo: TodoState, todos: EngineState['todos']): boolean {
  if (todo.status !== 'pending' && todo.status !== 'stale') return false;
  return todo.dependsOn.every((id) => todos[id]?.status === 'done');
}

/** Every todo that depends on `id`, directly or through others, in plan order. */
export function dependentsOf({ order, todos }: Pick<EngineState, 'order' | 'todos'>, id: string): string[] {
  const after = new Map<string, string[]>();
  for (const { id: dependent, dependsOn } of Object.values(todos)) {
    for (const dependency of dependsOn) {
      const known = after.get(dependency);
      if (known === undefined) after.set(dependency, [dependent]);
      else known.push(dependent);
    }
  }
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const dependent of after.get(next) ?? []) {
      if (found.has(dependent)) continue;
      found.add(dependent);
      open.push(dependent);
    }
  }
  return order.filter((candidate) => found.has(candidate));
}

/** What each failed todo keeps from starting, in plan order; failed ones that keep nothing back are left out. */
export function blockedBy(state: Pick<EngineState, 'order' | 'todos'>): Record<string, string[]> {
  const failed = state.order.filter((id) => state.todos[id]?.status === 'failed');
  const blocked = failed.map((id): [string, string[]] => [
    id,
    dependentsOf(state, id).filter((dependent) => state.todos[dependent]?.status !== 'done'),
  ]);
  return Object.fromEntries(blocked.filter(([, todos]) => todos.length > 0));
}
