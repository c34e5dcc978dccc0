import type { TodoView } from './execution-schema.js';

/** A row of the tree: a todo, or in place of hidden ones their number by state. */
export type TreeRow = { kind: 'todo'; todo: TodoView } | { kind: 'folded'; counts: Record<string, number> };

/** Plans of up to so many todos are shown whole. */
const WHOLE = 40;

/** Todos shown of a longer plan, by state; the todos that they were added for are shown too. */
const SHOWN = { running: 40, failed: 10, stale: 5, done: 5, pending: 5 } as const;

/**
 * Chooses the todos to show of a long plan: running and failed ones, the last that were done and the next that wait;
 * the others are counted in their place.
 * @param full whether to show all todos
 */
export function foldTodos(todos: readonly TodoView[], full: boolean): TreeRow[] {
  const shown = full || todos.length <= WHOLE ? null : selectShown(todos);
  const rows: TreeRow[] = [];
  for (const todo of todos) {
    if (shown === null || shown.has(todo.id)) {
      rows.push({ kind: 'todo', todo });
      continue;
    }
    const last = rows.at(-1);
    const counts = last?.kind === 'folded' ? last.counts : {};
    counts[todo.standing] = (counts[todo.standing] ?? 0) + 1;
    if (last?.kind !== 'folded') rows.push({ kind: 'folded', counts });
  }
  return rows;
}

function selectShown(todos: readonly TodoView[]): Set<string> {
  const of = (standing: TodoView['standing']) => todos.filter((todo) => todo.standing === standing);
  const lately = of('done').sort((a, b) => ((a.endedAt ?? '') < (b.endedAt ?? '') ? 1 : -1));
  const picked = [
    ...of('running').slice(0, SHOWN.running),
    ...of('failed').slice(0, SHOWN.failed),
    ...of('stale').slice(0, SHOWN.stale),
    ...lately.slice(0, SHOWN.done),
    ...of('pending').slice(0, SHOWN.pending),
  ];
  const parents = new Map(todos.flatMap(({ id, parent }) => (parent === null ? [] : [[id, parent]])));
  const ids = new Set<string>();
  for (const { id } of picked) {
    for (let at: string | undefined = id; at !== undefined && !ids.has(at); at = parents.get(at)) ids.add(at);
  }
  return ids;
}
