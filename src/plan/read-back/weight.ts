import { readMarkdownLines } from '../../documents/markdown-lines.js';
import { isNested, NESTED } from '../markdown/parse.js';
import type { PlanFault } from './fault.js';

/**
 * Refuses text that would keep the Markdown parser busy for minutes and that nobody writes by hand. Parsing time grows
 * with the square of the number of lines and marks in a paragraph, of quoted lines, and of underlined headings.
 */

/** Maximum number of quoted lines, and of underlined headings, in a text. */
const MOST_LINES = 2_000;
/** Maximum estimated milliseconds to parse a text's paragraphs, as measured on a slow machine. */
const MOST_MS = 2_000;
const MS_PER_LINE = 3e-5;
const MS_PER_MARK = 3e-6;

const QUOTED = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*>/;
const UNDERLINE = /^[ \t]*(?:=+|-+)[ \t]*$/;
/** Matches lines that begin a new paragraph in any context. */
const BEGINS = /^ {0,3}(?:[-*+]|1[.)])[ \t]|^ {0,3}#{1,6}[ \t]/;
const MARKS = /[*_[\]]/g;

/** Maximum number of added lines. A formatter may also insert an empty line after each line; those do not count. */
const MOST_TYPED = 30_000;

/**
 * Finds the lines that make a text with LF line endings too expensive to parse.
 * @param before the text before the edit
 */
export function findTooHeavy(text: string, before = ''): PlanFault[] {
  const [was, is] = [before, text].map((each) => each.split('\n').length) as [number, number];
  if (is > 2 * was + MOST_TYPED)
    return [{ line: 1, problem: `the text has ${is} lines, not ${was} as before, which is more than a plan may have` }];
  const faults: PlanFault[] = [];
  // Counts lines in apparent code blocks too, because inside HTML, a fence does not begin code.
  const counted = new Counted();
  let open = new Run(1);
  let isTable = false;
  let spent = 0;
  const close = (next: number) => {
    const before = spent;
    spent += open.milliseconds;
    if (before <= MOST_MS && spent > MOST_MS) faults.push({ line: open.line, problem: TANGLED });
    open = new Run(next);
  };
  let above = '';
  for (const { text: line, number, fenced } of readMarkdownLines(text)) {
    if (!fenced && isNested(line)) faults.push({ line: number, problem: `the line ${NESTED}` });
    faults.push(...counted.add(line, above, number));
    // Each row of a table counts as a paragraph of its own.
    isTable = line.startsWith('|') && (isTable || open.isHeadOfTable(line));
    if (line.trim() === '' || BEGINS.test(line) || isTable) close(number);
    open.add(line);
    above = line;
  }
  close(open.line);
  return faults;
}

const TANGLED =
  'a text with too many lines or Markdown marks begins here: an empty line ends a text, and an entry is one line';

/**
 * Refuses a text with very many quoted or underlined lines. A few such lines pass here, and are refused after parsing,
 * with a better message.
 */
class Counted {
  #quoted = 0;
  #underlined = 0;

  add(line: string, above: string, number: number): PlanFault[] {
    if (QUOTED.test(line) && ++this.#quoted === MOST_LINES + 1)
      return [{ line: number, problem: `more than ${MOST_LINES} lines begin with >: a plan contains no quotations` }];
    if (UNDERLINE.test(line) && above.trim() !== '' && ++this.#underlined === MOST_LINES + 1)
      return [{ line: number, problem: `more than ${MOST_LINES} lines are underlined: a heading begins with #` }];
    return [];
  }
}

/** Consecutive lines that may form one paragraph. */
class Run {
  readonly line: number;
  #lines = 0;
  #marks = 0;
  #last = '';

  constructor(line: number) {
    this.line = line;
  }

  get milliseconds(): number {
    return this.#lines ** 2 * MS_PER_LINE + this.#marks ** 2 * MS_PER_MARK;
  }

  /** Returns whether this run is a single line, the header of a table whose delimiter row is `line`. */
  isHeadOfTable(line: string): boolean {
    return (
      this.#lines === 1 && DELIMITERS.test(line) && ROW.test(this.#last) && countCells(this.#last) === countCells(line)
    );
  }

  add(line: string): void {
    if (line.trim() === '') return;
    this.#lines += 1;
    this.#marks += line.match(MARKS)?.length ?? 0;
    this.#last = line;
  }
}

const ROW = /^\|.*\|[ \t]*$/;
const DELIMITERS = /^\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;

function countCells(row: string): number {
  return row.match(/(?<!\\)\|/g)?.length ?? 0;
}
