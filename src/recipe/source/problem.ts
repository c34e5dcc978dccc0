/** A problem in a recipe or in a file it uses, with its position (recipes.md §1). */
export interface RecipeProblem {
  severity: 'error' | 'warning';
  /** What is wrong, as a sentence. */
  message: string;
  /** The path as shown to the user. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 code units. */
  column: number;
  /** The number of characters to underline; at least 1. */
  length: number;
  /** JSON pointer into the document; absent for a position in a prompt file and for a YAML error. */
  pointer?: string;
  /** How to fix the problem. */
  fix?: string;
}

/** A range in a text: offsets in UTF-16 code units, end exclusive. */
export interface OffsetRange {
  start: number;
  end: number;
}

/** Returns line and column of a span, both from 1, and its length within that line. */
export function locateOffset(text: string, span: OffsetRange): { line: number; column: number; length: number } {
  const start = Math.min(span.start, text.length);
  const before = text.slice(0, start);
  const line = before.split('\n').length;
  const column = start - (before.lastIndexOf('\n') + 1) + 1;
  const lineEnd = text.indexOf('\n', start);
  const end = Math.min(span.end, lineEnd === -1 ? text.length : lineEnd);
  return { line, column, length: Math.max(1, end - start) };
}

/** Sorts problems by file, line and column, errors before warnings at the same position, and removes duplicates. */
export function sortProblems(problems: readonly RecipeProblem[]): RecipeProblem[] {
  const seen = new Set<string>();
  return [...problems]
    .sort(
      (a, b) =>
        (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
        a.line - b.line ||
        a.column - b.column ||
        (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0),
    )
    .filter(({ file, line, column, message }) => {
      const key = JSON.stringify([file, line, column, message]);
      return !seen.has(key) && seen.add(key);
    });
}

/** Whether any of the problems is an error. */
export function hasErrors(problems: readonly RecipeProblem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}
