import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import type { Transaction } from '../../run/transaction.js';

/**
 * The notes of an execution: context/learnings.md, issues.md and audit.md. The store keeps a whole copy of a document
 * at each commit, so a document that has grown to `FULL` takes no more: later notes go to a document of the todo's own.
 */

/** The document of what workers learned. */
export const LEARNINGS = 'context/learnings.md';
const ISSUES = 'context/issues.md';
/** The document of what dev-cli did with each todo. */
export const AUDIT = 'context/audit.md';

/** Longest line of the audit, in characters. */
const LINE_CAP = 300;
/** Size, in bytes, above which a shared document takes no more notes. */
const FULL = 32 * 1024;

/** Notes what a todo's worker learned, for the workers of later todos. */
export function appendLearnings(tx: Transaction, todo: string, lines: readonly string[]): void {
  appendSection(tx, LEARNINGS, '# Learnings', todo, lines);
}

/** Notes the issues that a todo leaves open. */
export function appendIssues(tx: Transaction, todo: string, lines: readonly string[]): void {
  appendSection(tx, ISSUES, '# Open issues', todo, lines);
}

/** Adds a line to the audit: what dev-cli itself did with a todo. */
export function appendAudit(tx: Transaction, todo: string, line: string): void {
  const path = choosePath(tx, AUDIT, todo);
  const before = tx.files.text(path) ?? '# Audit\n\n';
  tx.files.write(path, `${before}- ${tx.at} ${toBoundedLine(`${todo}: ${line}`, LINE_CAP)}\n`);
}

function choosePath(tx: Transaction, path: string, todo: string): string {
  const facts = tx.files.facts(path);
  return facts.kind === 'file' && facts.size > FULL ? getOwnNotesPath(path, todo) : path;
}

/** `context/learnings/todo-7.md`. */
function getOwnNotesPath(path: string, todo: string): string {
  return path.replace(/\.md$/, `/${todo}.md`);
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

/** Appends a section; each note stays on one line, so none can pass for a heading. */
function appendSection(tx: Transaction, path: string, title: string, todo: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const kept = lines.map((line) => `- ${toWholeLine(line)}`);
  const place = choosePath(tx, path, todo);
  const before = tx.files.text(place) ?? `${title}\n`;
  tx.files.write(place, `${before}\n## ${todo}\n${kept.join('\n')}\n`);
}
