/** Something wrong with a recipe or a file it uses, at a place a person can go to (recipes.md §1). */
export interface RecipeProblem {
  severity: 'error' | 'warning';
  message: string;
  /** The path as the user knows it. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** How many characters the caret line underlines; at least 1. */
  length: number;
  /** JSON pointer into the document, where there is one. */
  pointer?: string;
  /** One instruction that resolves it. */
  fix?: string;
}

/** Where in a text: offsets in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

/** Line and column of an offset, both from 1, and the length of the span within that line. */
export function locateOffset(text: string, span: Span): { line: number; column: number; length: number } {
  const start = Math.min(span.start, text.length);
  const before = text.slice(0, start);
  const line = before.split('\n').length;
  const column = start - (before.lastIndexOf('\n') + 1) + 1;
  const lineEnd = text.indexOf('\n', start);
  const end = Math.min(span.end, lineEnd === -1 ? text.length : lineEnd);
  return { line, column, length: Math.max(1, end - start) };
}

/** Problems in the order of reading: file, line, column; errors before warnings at one place; doubles removed. */
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

/** Whether any of them is an error. */
export function hasErrors(problems: readonly RecipeProblem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}
