// door: edits

import { type Chunk, splitChunks } from '../markdown/chunks.js';
import type { PlanTodo } from '../model/schema.js';
import { applyTodo, createTodo } from './apply-todo.js';
import { Notes, type PlanFault } from './fault.js';
import { FreeIds } from './free-ids.js';
import { type IsId, readTodo, readTodoId } from './todo-text.js';
import { findTooHeavy } from './weight.js';

/** A single todo, read from a section in the form of PLAN.md. */
export type TodoSection = { kind: 'read'; todo: PlanTodo } | { kind: 'refused'; faults: readonly PlanFault[] };

/** Returns the next unused todo id. */
export function findTodoId(taken: readonly string[]): string {
  return new FreeIds('todo', taken).next();
}

/** Creates a todo with this id and defaults in all other fields. */
export function createEmptyTodo(id: string): PlanTodo {
  return createTodo(id);
}

/**
 * Reads one section: `### Title` and the todo below it, as in PLAN.md (documents.md, Living plan).
 * @param taken ids of existing todos: a section without an id gets the next unused one
 */
export function readTodoSection(text: string, taken: readonly string[]): TodoSection {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const unreadable = findTooHeavy(plain);
  if (unreadable.length > 0) return { kind: 'refused', faults: unreadable };
  const [before, ...sections] = splitChunks(plain);
  const notes = new Notes();
  if (before !== undefined && before.text.trim() !== '')
    notes.refuse(before.line, 'the heading `### Title` must come first');
  const [section, another] = sections;
  if (section === undefined) notes.refuse(1, 'there is no heading `### Title`');
  else if (section.depth !== 3) notes.refuse(section.line, 'the heading of a todo is `### Title`');
  if (another !== undefined) notes.refuse(another.line, 'a second heading: one todo is added at a time');
  if (section === undefined || notes.faults.length > 0) return { kind: 'refused', faults: notes.faults };
  const todo = readSection(section, taken, notes);
  return notes.faults.length > 0 ? { kind: 'refused', faults: notes.faults } : { kind: 'read', todo };
}

function readSection(section: Chunk, taken: readonly string[], notes: Notes): PlanTodo {
  const isId: IsId = (word) => taken.includes(word) || /^[A-Za-z]+-?\d+$/.test(word);
  const id = readTodoId(section, isId) ?? findTodoId(taken);
  if (taken.includes(id)) notes.refuse(section.line, `a todo ${id} already exists`);
  const [line, control] = findControlCharacter(section) ?? [];
  if (line !== undefined) notes.refuse(line, `the line holds a control character, U+${control}`);
  return applyTodo({ todo: createTodo(id), before: null, after: readTodo(section, isId), pointer: '' }, notes);
}

function findControlCharacter({ text, line }: Chunk): [line: number, code: string] | null {
  for (const [index, row] of text.split('\n').entries()) {
    const [found] = /[\0-\x08\x0b-\x1f\x7f]/.exec(row) ?? [];
    if (found !== undefined) return [line + index, found.charCodeAt(0).toString(16).padStart(4, '0')];
  }
  return null;
}
