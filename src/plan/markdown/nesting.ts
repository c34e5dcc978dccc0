/** What nobody writes by hand would take the reader of Markdown minutes. */

const LEVELS = /^[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+){20}/;

/** What is wrong with a line that is nested too deep. */
export const NESTED = 'begins more than 20 levels';

/** Whether quotations and lists begin in a line, one in the other, on more levels than anybody means. */
export function isNested(line: string): boolean {
  return LEVELS.test(line);
}
