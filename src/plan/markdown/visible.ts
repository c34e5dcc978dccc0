import { type Inline, type ListItem, type MarkdownBlock, parseMarkdown, type TableRow } from './parse.js';
import { formatSourceLocation } from './place.js';

/**
 * Reads a text as its reader sees it, without comments and other hidden HTML. This takes a Markdown parser, because
 * code may contain text that only looks like a comment.
 */

/** Maximum nesting depth of lists and quotations in a text. */
export const MAX_LEVELS = 20;

/** A text that somebody else wrote. Its path is relative to the project. */
export interface ForeignText {
  path: string;
  text: string;
}

/** Thrown for a text that is nested more deeply than `MAX_LEVELS`. */
export class TooDeepError extends Error {
  /** `FILE:LINE`. */
  readonly at: string;

  constructor(file: string, block: Pick<MarkdownBlock, 'position'>) {
    super('too many nested levels');
    this.at = formatSourceLocation({ path: file, line: block.position?.start.line ?? 1 });
  }
}

/** A hidden part of a text. */
interface Hidden {
  comment: string;
  /** The line on which it begins. */
  line: number;
}

/** A text without its hidden parts. */
export interface VisibleText {
  text: string;
  blocks: MarkdownBlock[];
  hidden: Hidden[];
}

/**
 * Reads a text without its comments. Repeats the removal, because removing one comment may form another.
 * @param file the text, with LF line endings
 * @param fill returns the replacement of a comment
 * @throws TooDeepError
 */
export function readVisible({ path, text: given }: ForeignText, fill: (comment: string) => string): VisibleText {
  const hidden: Hidden[] = [];
  for (let text = given; ; ) {
    const blocks = parseMarkdown(text);
    for (const block of blocks) refuseDepth(block, path, 0);
    const found = blocks.flatMap((block) => findHidden(block, text));
    if (found.length === 0) return { text, blocks, hidden };
    const pieces: string[] = [];
    let from = 0;
    for (const { start, comment, line } of found) {
      hidden.push({ comment, line });
      pieces.push(text.slice(from, start), fill(comment));
      from = start + comment.length;
    }
    text = pieces.join('') + text.slice(from);
  }
}

/** The visible text, or where it is nested too deeply. */
export type VisibleEnding = { kind: 'text'; text: string } | { kind: 'too deep'; at: string };

/** Removes the comments and other hidden HTML from a text. */
export function stripHiddenText(file: ForeignText): VisibleEnding {
  try {
    return { kind: 'text', text: readVisible(file, () => '').text };
  } catch (error) {
    if (error instanceof TooDeepError) return { kind: 'too deep', at: error.at };
    throw error;
  }
}

/** The HTML that no reader sees: comments, processing instructions, CDATA sections, declarations. */
const HIDDEN = /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<![A-Za-z][^>]*>/g;

function findHidden(node: MarkdownBlock | ListItem | TableRow | Inline, text: string): (Hidden & { start: number })[] {
  if ('children' in node) return node.children.flatMap((child) => findHidden(child, text));
  const begin = node.position?.start;
  if (node.type !== 'html' || begin?.offset === undefined) return [];
  const { line, offset } = begin;
  const written = text.slice(offset, node.position?.end.offset);
  return [...written.matchAll(HIDDEN)].map(({ 0: comment, index }) => ({
    start: offset + index,
    comment,
    line: line + written.slice(0, index).split('\n').length - 1,
  }));
}

function refuseDepth(block: MarkdownBlock | ListItem, path: string, level: number): void {
  if (level > MAX_LEVELS) throw new TooDeepError(path, block);
  if (block.type !== 'list' && block.type !== 'listItem' && block.type !== 'blockquote') return;
  const next = block.type === 'listItem' ? level : level + 1;
  for (const child of block.children) refuseDepth(child, path, next);
}
