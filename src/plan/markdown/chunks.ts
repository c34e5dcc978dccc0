import { readMarkdownLines } from '../../documents/markdown-lines.js';
import { type ListItem, type MarkdownBlock, parseMarkdown, type TableRow } from './parse.js';
import { readTokens, type Token } from './tokens.js';

/** Splits PLAN.md at its headings, so that an unchanged part need not be parsed. */

/** A heading with the text below it. */
export interface Chunk {
  /** Number of its first line, counted from 1. */
  line: number;
  /** Level of its heading; 0 for the text before the first heading. */
  depth: number;
  text: string;
}

/** Splits a text with LF line endings at its headings. */
export function splitChunks(text: string): Chunk[] {
  const chunks: { line: number; depth: number; lines: string[] }[] = [{ line: 1, depth: 0, lines: [] }];
  for (const { text: line, number, fenced } of readMarkdownLines(text)) {
    const depth = fenced ? 0 : (/^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1]?.length ?? 0);
    if (depth > 0) chunks.push({ line: number, depth, lines: [] });
    chunks.at(-1)?.lines.push(line.trimEnd());
  }
  return chunks.map(({ lines, ...chunk }) => ({ ...chunk, text: lines.join('\n').trimEnd() }));
}

/** A piece of a chunk's content. */
export type ChunkPiece =
  | { kind: 'paragraph'; line: number; tokens: Token[] }
  | { kind: 'entry'; line: number; tokens: Token[]; nested: { line: number; tokens: Token[] }[] }
  | { kind: 'row'; line: number; cells: Token[][] }
  | { kind: 'code'; line: number; value: string }
  /** Content that a plan cannot contain: `what` describes it; `html` is its text if it is HTML. */
  | { kind: 'other'; line: number; what: string; html?: string };

/** A chunk after Markdown parsing. */
export interface ParsedChunk {
  line: number;
  /** The text of its heading. */
  title: Token[];
  pieces: ChunkPiece[];
}

/** Parses a chunk's Markdown. Line numbers count from the beginning of PLAN.md. */
export function parseChunk({ text, line, depth }: Chunk): ParsedChunk {
  const children = parseMarkdown(text);
  const [first] = children;
  const heading = depth > 0 && first?.type === 'heading' ? first : null;
  const around = { source: text, above: line - 1 };
  return {
    line,
    title: heading === null ? [] : readTokens(heading.children, text),
    pieces: (heading === null ? children : children.slice(1)).flatMap((node) => readPiece(node, around)),
  };
}

interface Around {
  source: string;
  /** Number of lines before the chunk. */
  above: number;
}

type Placed = { position?: { start: { line: number } } | undefined };

const lineOf = ({ position }: Placed, { above }: Around) => above + (position?.start.line ?? 1);

function readPiece(node: MarkdownBlock, around: Around): ChunkPiece[] {
  const line = lineOf(node, around);
  switch (node.type) {
    case 'thematicBreak':
      return [];
    case 'paragraph':
      return [{ kind: 'paragraph', line, tokens: readTokens(node.children, around.source) }];
    case 'list':
      return node.children.flatMap((item) => readItem(item, around));
    case 'table':
      return node.children.map((row) => readRow(row, around));
    case 'code':
      // An indented block does not count as code, because people rarely mean code when they indent by four spaces.
      return isFenced(node, around)
        ? [{ kind: 'code', line, value: node.value }]
        : [{ kind: 'other', line, what: 'a line indented by four blanks or more' }];
    case 'html':
      return [{ kind: 'other', line, what: node.value.startsWith('<!--') ? 'a comment' : 'HTML', html: node.value }];
    case 'heading':
      return [{ kind: 'other', line, what: 'a heading' }];
    case 'blockquote':
      return [{ kind: 'other', line, what: 'a quotation' }];
    default:
      return [{ kind: 'other', line, what: 'a definition' }];
  }
}

function isFenced({ position }: { position?: MarkdownBlock['position'] }, { source }: Around): boolean {
  return /^[`~]{3}/.test(source.slice(position?.start.offset));
}

function readItem(item: ListItem, around: Around): ChunkPiece[] {
  const [first, ...more] = item.children;
  if (first === undefined) return [];
  const line = lineOf(item, around);
  if (first.type !== 'paragraph') {
    const inner = readPiece(first, around);
    return [{ kind: 'other', line, what: inner[0]?.kind === 'entry' ? 'a list in a list' : 'an entry without a text' }];
  }
  const nested: { line: number; tokens: Token[] }[] = [];
  const others: ChunkPiece[] = [];
  for (const piece of more.flatMap((child) => readPiece(child, around))) {
    if (piece.kind === 'entry' && piece.nested.length === 0) nested.push({ line: piece.line, tokens: piece.tokens });
    else if (piece.kind === 'other') others.push(piece);
    else
      others.push({
        kind: 'other',
        line: piece.line,
        what: piece.kind === 'entry' ? 'a list in a list' : 'a second paragraph in an entry',
      });
  }
  return [{ kind: 'entry', line, tokens: readTokens(first.children, around.source), nested }, ...others];
}

function readRow(row: TableRow, around: Around): ChunkPiece {
  return {
    kind: 'row',
    line: lineOf(row, around),
    cells: row.children.map((cell) => readTokens(cell.children, around.source)),
  };
}
