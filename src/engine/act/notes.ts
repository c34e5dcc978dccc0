import { getOwnNotesPath, NOTE_HEADS, type NoteAddition } from '../../run/notes.js';
import { LEARNINGS } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';

/** The notes of an execution: `context/learnings.md`, `issues.md` and `audit.md` (engine.md, Stages). */

/**
 * Size, in bytes, above which a shared document takes no more notes: whoever looks for those of a todo reads all of it. Later notes
 * go to a document of the todo's own.
 */
const FULL = 1024 * 1024;

/** Adds what an entry gives to the notes. */
export function addNotes(tx: Transaction, additions: readonly NoteAddition[]): void {
  for (const { path, todo, text } of additions) {
    const head = NOTE_HEADS[path];
    const facts = tx.files.facts(path);
    if (facts.kind !== 'file' || facts.size <= FULL) {
      tx.files.append(path, text, head);
      continue;
    }
    const own = getOwnNotesPath(path, todo);
    tx.files.write(own, `${tx.files.text(own) ?? head}${text}`);
  }
}

/** Reads what the workers of these todos learned, latest first: a heading and its lines for each todo that has any. */
export function readLearnings(tx: Transaction, todos: readonly string[]): string[] {
  const shared = todos.length === 0 ? null : tx.files.text(LEARNINGS);
  if (shared === null) return [];
  const parts = todos.flatMap((id) => {
    const text = tx.files.text(getOwnNotesPath(LEARNINGS, id)) ?? shared;
    const start = text.lastIndexOf(`\n## ${id}\n`);
    if (start < 0) return [];
    const end = text.indexOf('\n## ', start + 1);
    return [text.slice(start + 1, end < 0 ? undefined : end).trim()];
  });
  return parts.reverse();
}
