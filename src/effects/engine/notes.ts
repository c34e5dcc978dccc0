import { foreignLine } from '../../documents/foreign.js';
import type { Turn } from '../turn.js';

/** The notes that workers leave to each other: context/learnings.md, issues.md, audit.md. */

const LEARNINGS = 'context/learnings.md';
const ISSUES = 'context/issues.md';
const AUDIT = 'context/audit.md';

/** Lines of a todo that are kept, and characters of a line: notes must not grow without bound (lessons 34). */
const LINES = 12;
const LINE_CAP = 300;
/** Characters of what a worker is given of its dependencies' learnings. */
const HANDED_ON = 3000;

export function noteLearnings(turn: Turn, todo: string, lines: readonly string[]): void {
  append(turn, LEARNINGS, '# Learnings', todo, lines);
}

export function noteIssues(turn: Turn, todo: string, lines: readonly string[]): void {
  append(turn, ISSUES, '# Open issues', todo, lines);
}

/** One line about what dev-cli itself did with a todo. */
export function noteAudit(turn: Turn, line: string): void {
  const before = turn.files.text(AUDIT) ?? '# Audit\n\n';
  turn.files.write(AUDIT, `${before}- ${turn.at} ${foreignLine(line, LINE_CAP)}\n`);
}

/** What the workers of these todos learned, the latest first, at most some thousand characters; empty when nothing. */
export function learningsOf(turn: Turn, todos: readonly string[]): string {
  const text = todos.length === 0 ? null : turn.files.text(LEARNINGS);
  if (text === null) return '';
  const parts = todos.flatMap((id) => {
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
  const before = turn.files.text(path) ?? `${title}\n`;
  turn.files.write(path, `${before}\n## ${todo}\n${[...kept, ...more].join('\n')}\n`);
}
