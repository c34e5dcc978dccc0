// door: edits

import { isSameJson } from '../../base/json.js';
import type { Chunk } from '../markdown/chunks.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { applyTodo } from './apply-todo.js';
import { Notes } from './fault.js';
import { type PlanText, readPlanText } from './parts.js';
import { type IsId, readTodo } from './todo-text.js';
import { findTooHeavy } from './weight.js';

/**
 * Lists the todos that a PLAN.md states exactly as the plan does. What counts is the content that is read back, not the
 * style of the Markdown.
 * @param texts PLAN.md as rendered from the plan, and the PLAN.md to compare; both with all boxes unticked
 * @param ids the ids of the todos to compare
 */
export function listSameTodos(
  { todos }: PlanContent,
  { rendered, shown }: { rendered: string; shown: string },
  ids: ReadonlySet<string>,
): Set<string> {
  if (findTooHeavy(shown, rendered).length > 0) return new Set();
  const known = new Set(todos.map(({ id }) => id));
  const isId: IsId = (word) => known.has(word);
  const [before, after] = [rendered, shown].map((text) => mapChunks(readPlanText(text, isId, new Notes())));
  const same = todos.filter((todo) => {
    const [was, is] = [before?.get(todo.id), after?.get(todo.id)];
    return ids.has(todo.id) && was && is && isSame(todo, was, is, isId);
  });
  return new Set(same.map(({ id }) => id));
}

/** Maps each todo to its section; null if several sections have its id. */
function mapChunks({ todos }: PlanText): Map<string, Chunk | null> {
  const chunks = new Map<string, Chunk | null>();
  for (const { id, chunk } of todos) if (id !== null) chunks.set(id, chunks.has(id) ? null : chunk);
  return chunks;
}

function isSame(todo: PlanTodo, was: Chunk, is: Chunk, isId: IsId): boolean {
  const notes = new Notes();
  const texts = { before: readTodo(was, isId), after: readTodo(is, isId) };
  const read = applyTodo({ todo, ...texts, pointer: '' }, notes);
  return notes.faults.length === 0 && isSameJson(read, todo);
}
