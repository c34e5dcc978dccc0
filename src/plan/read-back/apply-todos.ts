import type { PlanTodo } from '../model/schema.js';
import { applyTodo, createTodo } from './apply-todo.js';
import type { Notes } from './fault.js';
import { FreeIds } from './free-ids.js';
import { type PlanText, shorten } from './parts.js';
import { type IsId, readTodo } from './todo-text.js';

/** Applies the edits of the todos: a heading without an id is a new one, a missing one is withdrawn, the order counts. */
export function applyTodos(
  old: readonly PlanTodo[],
  { before, after, isId }: { before: PlanText; after: PlanText; isId: IsId },
  notes: Notes,
): PlanTodo[] {
  const shown = new Map(before.todos.map(({ id, chunk }) => [id, chunk]));
  const known = new Map(old.map((todo) => [todo.id, todo]));
  const ids = [...before.todos, ...after.todos].flatMap(({ id }) => id ?? []);
  const free = new FreeIds('todo', [...known.keys(), ...ids]);
  const lines = new Map<string, number>();
  const todos: PlanTodo[] = [];
  for (const { id: stated, chunk } of after.todos) {
    const id = stated ?? free.next();
    const first = lines.get(id);
    if (first !== undefined) notes.refuse(chunk.line, `a second todo ${shorten(id)}; the first is in line ${first}`);
    else lines.set(id, chunk.line);
    const [todo, was] = [known.get(id), shown.get(id)];
    const pointer = `/todos/${todos.length}`;
    notes.place(pointer, chunk.line);
    for (const key of ['dependsOn', 'serves']) notes.place(`${pointer}/${key}`, chunk.line + findFacts(chunk.text));
    if (todo === undefined && was !== undefined) {
      // A run has added it, and it is no part of the plan.
      if (was.text !== chunk.text)
        notes.refuse(chunk.line, `${id} was added by the run: plan-content.json does not hold it`);
    } else if (todo !== undefined && was?.text === chunk.text) {
      todos.push(todo);
    } else {
      const texts = { before: was === undefined ? null : readTodo(was, isId), after: readTodo(chunk, isId) };
      todos.push(applyTodo({ todo: todo ?? createTodo(id), ...texts, pointer }, notes));
    }
  }
  refuseTakenOut(before, after, (id) => known.has(id) || lines.has(id), notes);
  return todos;
}

function refuseTakenOut(before: PlanText, after: PlanText, isThere: (id: string) => boolean, notes: Notes): void {
  for (const { id } of before.todos) {
    if (id === null || isThere(id)) continue;
    const line = after.head?.line ?? 1;
    notes.refuse(line, `${id} was taken out, but a run has added it: plan-content.json does not hold it`);
  }
}

/** How many lines below its heading a todo has the line of facts; 0 for none. */
function findFacts(text: string): number {
  return Math.max(
    0,
    text.split('\n').findIndex((line) => /^ {0,3}(?:work|verification),/.test(line)),
  );
}
