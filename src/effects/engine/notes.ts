import { foreignLine } from '../../documents/foreign.js';
import type { Turn } from '../turn.js';

/**
 * The notes that workers leave to each other: context/learnings.md, issues.md, audit.md. Every commit keeps a whole copy of
 * what it writes, so a document that has grown is full, and what comes after stands in one of the todo's own.
 */

const LEARNINGS = 'context/learnings.md';
const ISSUES = 'context/issues.md';
const AUDIT = 'context/audit.md';

/** Lines of a todo that are kept, and characters of a line: notes must not grow without bound (lessons 34). */
const LINES = 12;
const LINE_CAP = 300;
/** Bytes from which on a document is full. */
const FULL = 32 * 1024;
/** Characters of what a worker is given of its dependencies' learnings. */
const HANDED_ON = 3000;

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

/** What the workers of these todos learned, the latest first, at most some thousand characters; empty when nothing. */
export function learningsOf(turn: Turn, todos: readonly string[]): string {
  const shared = todos.length === 0 ? null : turn.files.text(LEARNINGS);
  if (shared === null) return '';
  const parts = todos.flatMap((id) => {
    const text = turn.files.text(ownNotes(LEARNINGS, id)) ?? shared;
    const start = text.lastIndexOf(`\n## ${id}\n`);
    if (start < 0) return [];
    const end = text.indexOf('\n## ', start + 1);
    return [text.slice(start + 1, end < 0 ? undefined : end).trim()];
  });
  return parts.reverse().join('\n\n').slice(0, HANDED_ON);
}

/** A heading for each todo; its lines are one line each, so that none of them can be taken for a heading. */
function append(turn: Turn, path: string, title: string, todo: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const kept = lines.slice(0, LINES).map((line) => `- ${foreignLine(line, LINE_CAP)}`);
  const more = lines.length > LINES ? [`- and ${lines.length - LINES} more`] : [];
  const place = placeFor(turn, path, todo);
  const before = turn.files.text(place) ?? `${title}\n`;
  turn.files.write(place, `${before}\n## ${todo}\n${[...kept, ...more].join('\n')}\n`);
}
