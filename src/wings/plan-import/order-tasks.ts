import type { ImportNotes } from './notes.js';
import type { SourceTask } from './source-plan.js';

/** A task with the id of its todo. */
export interface NamedTask extends SourceTask {
  id: string;
  /** The task's name in the source; null if it has none. */
  said: string | null;
  dependsOn: string[];
}

/**
 * Gives each open task an id and its dependencies. A task depends on the one before it. Neighbours in a phase that are
 * marked as parallel form a group: each of them depends on what comes before the group, and what comes after depends on
 * all of them. Dependencies named in the source are added.
 */
export function orderTasks(tasks: readonly SourceTask[], notes: ImportNotes): NamedTask[] {
  const ids = nameTasks(tasks);
  const named = new Map(tasks.map((task, index) => [task.id ?? '', { index, isDone: task.isDone }]));
  const open = tasks.flatMap((task, index) => (task.isDone ? [] : [{ task, index }]));
  let group: { ids: string[]; before: string[]; phase: number } | null = null;
  return open.map(({ task, index }) => {
    const id = ids[index] ?? '';
    const joins: boolean = group !== null && task.isParallel && group.phase === task.phase;
    if (group !== null && joins) group.ids.push(id);
    else group = { ids: [id], before: group?.ids ?? [], phase: task.isParallel ? task.phase : -1 };
    const after = task.after.flatMap((name) => {
      const found = named.get(name);
      if (found !== undefined && found.index < index) return found.isDone ? [] : [ids[found.index] ?? ''];
      notes.refuse(task.at, `depends on ${name}`, 'there is no such task before this one');
      return [];
    });
    return { ...task, id, said: task.id, dependsOn: [...new Set([...group.before, ...after])] };
  });
}

/**
 * Returns an id for each task: its name in the source if that is unique and short enough, otherwise the next free
 * `todo-N`.
 */
function nameTasks(tasks: readonly SourceTask[]): string[] {
  const taken = new Set<string>();
  let next = 1;
  const free = (): string => {
    while (taken.has(`todo-${next}`)) next += 1;
    return `todo-${next}`;
  };
  return tasks.map(({ id }) => {
    const name = id !== null && id.length <= 40 && !taken.has(id) ? id : free();
    taken.add(name);
    return name;
  });
}
