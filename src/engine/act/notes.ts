import { foreignLine, wholeLine } from '../../documents/foreign.js';
import type { Turn } from '../../run/turn.js';

/**
 * The notes that workers leave to each other: context/learnings.md, issues.md, audit.md. Every commit keeps a whole copy of
 * what it writes, so a document that has grown is full, and what comes after stands in one of the todo's own.
 */

export const LEARNINGS = 'context/learnings.md';
const ISSUES = 'context/issues.md';
export const AUDIT = 'context/audit.md';

/** Characters of a line of the audit. */
const LINE_CAP = 300;
/** Bytes from which on a document is full. */
const FULL = 32 * 1024;

export function noteLearnings(turn: Turn, todo: string, lines: readonly string[]): void {
  append(turn, LEARNINGS, '# Learnings', todo, lines);
}

export function noteIssues(turn: Turn, todo: string, lines: readonly string[]): void {
  append(turn, ISSUES, '# Open issues', todo, lines);
}

/** One line about what dev-cli itself did with a todo. */
export function noteAudit(turn: Turn, todo: string, line: string): void {
  const path = placeFor(turn, AUDIT, todo);
  const before = turn.files.text(path) ?? '# Audit\n\n';
  turn.files.write(path, `${before}- ${turn.at} ${foreignLine(`${todo}: ${line}`, LINE_CAP)}\n`);
}

/** Where a note about a todo goes. */
function placeFor(turn: Turn, path: string, todo: string): string {
  const facts = turn.files.facts(path);
  return facts.kind === 'file' && facts.size > FULL ? ownNotes(path, todo) : path;
}

/** `context/learnings/todo-7.md`. */
function ownNotes(path: string, todo: string): string {
  return path.replace(/\.md$/, `/${todo}.md`);
}

/** What the workers of these todos learned, the latest first: a heading and its lines for each that left any. */
export function learningsOf(turn: Turn, todos: readonly string[]): string[] {
  const shared = todos.length === 0 ? null : turn.files.text(LEARNINGS);
  if (shared === null) return [];
  const parts = todos.flatMap((id) => {
    const text = turn.files.text(ownNotes(LEARNINGS, id)) ?? shared;
    const start = text.lastIndexOf(`\n## ${id}\n`);
    if (start < 0) return [];
    const end = text.indexOf('\n## ', start + 1);
    return [text.slice(start + 1, end < 0 ? undefined : end).trim()];
  });
  return parts.reverse();
}

/** A heading for each todo; its lines are one line each, so that none of them can be taken for a heading. */
function append(turn: Turn, path: string, title: string, todo: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const kept = lines.map((line) => `- ${wholeLine(line)}`);
  const place = placeFor(turn, path, todo);
  const before = turn.files.text(place) ?? `${title}\n`;
  turn.files.write(place, `${before}\n## ${todo}\n${kept.join('\n')}\n`);
}
