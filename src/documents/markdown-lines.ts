/** One line of a Markdown text, with what its place in the text says about it. */
export interface MarkdownLine {
  /** Without its line ending. */
  text: string;
  /** From 1. */
  number: number;
  /** Offset of its first character. */
  start: number;
  /** Offset behind its line ending. */
  next: number;
  /** Part of a fenced code block, the two fences included. */
  fenced: boolean;
}

/** An open code fence: only a line of at least as many of the same characters closes it. */
export interface Fence {
  character: '`' | '~';
  length: number;
}

/**
 * The first character of a line that may begin structure, behind at most three blanks; empty for a line that may not.
 * Most lines are told apart by it alone, which matters in large texts.
 */
export function getLeadingCharacter(line: string): string {
  let at = 0;
  while (at < 4 && line.charCodeAt(at) === BLANK) at += 1;
  return at < 4 ? line.charAt(at) : '';
}

const BLANK = 0x20;

/** The fence that `line` opens, or null (CommonMark: indented by at most three; no backtick behind backticks). */
export function findOpeningFence(line: string): Fence | null {
  const first = getLeadingCharacter(line);
  if (first !== '`' && first !== '~') return null;
  const run = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  return run === undefined ? null : { character: first, length: run.length };
}

/** The run of a line that could close a fence, or null. */
export function findClosingRun(line: string): Fence | null {
  const first = getLeadingCharacter(line);
  if (first !== '`' && first !== '~') return null;
  const run = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return run === undefined ? null : { character: first, length: run.length };
}

export function isClosingFence(line: string, fence: Fence): boolean {
  const run = findClosingRun(line);
  return run !== null && run.character === fence.character && run.length >= fence.length;
}

/**
 * The lines of a text in order, each knowing whether it stands in fenced code. Lines end with LF or CRLF; a fence that
 * nothing closes reaches to the end, as in CommonMark. A generator, so that large texts are never held twice.
 */
export function* readMarkdownLines(text: string): Generator<MarkdownLine> {
  let open: Fence | null = null;
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 ? text.length : newline + 1;
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end > start && text.charAt(end - 1) === '\r' ? end - 1 : end);
    number += 1;
    let fenced = true;
    if (open !== null) {
      if (isClosingFence(line, open)) open = null;
    } else {
      open = findOpeningFence(line);
      fenced = open !== null;
    }
    yield { text: line, number, start, next, fenced };
    start = next;
  }
}

/** A level-two heading: what separates the sections of DRAFT.md and of a data file. */
export function isSectionHeading(line: string): boolean {
  return getLeadingCharacter(line) === '#' && /^ {0,3}##(?:[ \t]|$)/.test(line);
}
