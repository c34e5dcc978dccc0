/** One line of a Markdown text, with its place in the text. */
export interface MarkdownLine {
  /** Without its line ending. */
  text: string;
  /** From 1. */
  number: number;
  /** Offset of its first character. */
  start: number;
  /** Offset after its line ending. */
  next: number;
  /** Whether it belongs to a fenced code block, fences included. */
  fenced: boolean;
}

/** A code fence. A line of at least as many of the same characters closes it. */
export interface Fence {
  character: '`' | '~';
  length: number;
}

/**
 * Returns the first character after at most three spaces; empty for a line that is indented more, since such a line
 * begins no structure. Most lines can be classified by this character alone, which saves time in large texts.
 */
export function getLeadingCharacter(line: string): string {
  let at = 0;
  while (at < 4 && line.charCodeAt(at) === BLANK) at += 1;
  return at < 4 ? line.charAt(at) : '';
}

const BLANK = 0x20;

/**
 * Finds the fence that `line` opens, or null. As in CommonMark, at most three spaces may precede it, and no backtick
 * may follow a fence of backticks.
 */
export function findOpeningFence(line: string): Fence | null {
  return matchFence(line, /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/);
}

/** Finds the run of fence characters in a line that could close a fence, or null. */
export function findClosingRun(line: string): Fence | null {
  return matchFence(line, /^ {0,3}(`{3,}|~{3,})[ \t]*$/);
}

function matchFence(line: string, pattern: RegExp): Fence | null {
  const first = getLeadingCharacter(line);
  if (first !== '`' && first !== '~') return null;
  const run = pattern.exec(line)?.[1];
  return run === undefined ? null : { character: first, length: run.length };
}

/** Returns whether `line` closes this fence. */
export function isClosingFence(line: string, fence: Fence): boolean {
  const run = findClosingRun(line);
  return run !== null && run.character === fence.character && run.length >= fence.length;
}

/**
 * Reads the lines of a text in order. Lines end with LF or CRLF; an unclosed fence reaches to the end of the text, as
 * in CommonMark. A generator, so that a large text is never held twice.
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

/**
 * Returns whether `line` is a level-two heading. Such headings separate the sections of DRAFT.md and of a data file.
 */
export function isSectionHeading(line: string): boolean {
  return getLeadingCharacter(line) === '#' && /^ {0,3}##(?:[ \t]|$)/.test(line);
}
