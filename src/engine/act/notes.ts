import { toBoundedLine } from '../../documents/foreign.js';
import type { RunEngine } from '../../run/engine.js';
import { getOwnNotesPath, NOTE_HEADS, type NoteAddition } from '../../run/notes.js';
import { LEARNINGS } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';
import { requireEngine } from './plan/plan.js';

/** The notes of an execution: `context/learnings.md`, `issues.md` and `audit.md` (engine.md, Stages). */

/**
 * Size in bytes above which a shared document takes no more notes, because finding a todo's notes means reading all of
 * it. Later notes go to a document of the todo's own.
 */
const FULL = 1024 * 1024;

/** Appends the additions to the notes. */
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

/** Reads what the workers of these todos learned, the last todo first. Each item is a todo's heading with its lines. */
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

/** Maximum length of a turning point's text in characters: enough for a reason in a person's own words. */
const TEXT_CAP = 1000;

/** Records a turning point of the execution, because the final state of the todos does not show it. */
export function recordTurningPoint(
  tx: Transaction,
  kind: NonNullable<RunEngine['course']>[number]['kind'],
  text: string,
): void {
  const engine = requireEngine(tx);
  engine.course = [...(engine.course ?? []), { at: tx.at, kind, text: toBoundedLine(text, TEXT_CAP) }];
}

/** Adds an open issue unless the report already has it. */
export function addOpenIssue(tx: Transaction, line: string): void {
  const { openIssues } = requireEngine(tx);
  if (!openIssues.includes(line)) openIssues.push(line);
}
