import { stripInvisible } from '../../base/visible.js';
import { toWholeLine } from '../../documents/foreign.js';
import type { Inline, ListItem, MarkdownBlock } from '../../plan/markdown/parse.js';
import type { SourceLocation } from '../../plan/markdown/place.js';
import { readTokens, type Token, writeTokens } from '../../plan/markdown/tokens.js';
import { readVisible } from '../../plan/markdown/visible.js';
import type { ImportNotes } from './notes.js';
import type { SourceFile } from './source-plan.js';

/** Reads a source as Markdown: its sections, and the entries of its lists. */

/** A heading with the blocks below it, up to the next heading. */
export interface SourceSection {
  /** 0 for the text before the first heading. */
  depth: number;
  title: string;
  at: SourceLocation;
  blocks: MarkdownBlock[];
}

/** A parsed source. */
export interface SourceDocument {
  path: string;
  /** The visible text, without invisible characters. */
  text: string;
  sections: SourceSection[];
  /** Numbers of the lines from which invisible characters were removed. */
  touched: ReadonlySet<number>;
  /**
   * Blocks of code in which lines look like steps. `text` is the first such line; the location spans from it to the
   * last.
   */
  boxesInCode: (SourceLocation & { text: string })[];
}

/** The state of a checkbox; `marked`: neither open nor done. */
export type CheckboxState = 'open' | 'done' | 'marked';

/** An entry of a list. */
export interface SourceItem {
  /** Its first paragraph on one line, without the checkbox. */
  text: string;
  box: CheckboxState | null;
  /** The mark in a checkbox that is neither open nor done, such as `~`. */
  mark: string | null;
  at: SourceLocation;
  children: SourceItem[];
  /** The entry's other blocks, without nested lists. */
  rest: MarkdownBlock[];
}

/** Maximum number of lines with invisible characters that get a note. */
const TOUCHED_NAMED = 10;

/**
 * Parses a source. Removes its invisible parts, with a note on each.
 * @throws TooDeepError
 */
export function readSource({ path, text: raw, unreadable = [] }: SourceFile, notes: ImportNotes): SourceDocument {
  for (const { line, text } of unreadable) notes.refuse({ path, line }, text, 'the line is not UTF-8 text');
  const plain = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const text = mendFences(stripInvisible(plain));
  const touched = findTouchedLines(plain, stripInvisible(plain));
  for (const line of [...touched].slice(0, TOUCHED_NAMED)) {
    notes.refuse({ path, line }, 'invisible characters', 'nobody sees them; they are left out');
  }
  // Comments are removed but not their line breaks, so that line numbers stay the same.
  const read = readVisible({ path, text }, (comment) => comment.replace(/[^\n]/g, ''));
  for (const { comment, line } of read.hidden) {
    notes.refuse({ path, line, end: line + comment.split('\n').length - 1 }, comment, HTML_REASON);
  }
  const boxesInCode = read.blocks.flatMap((block) => findBoxes(block, path));
  const document: SourceDocument = { path, text: read.text, sections: [], touched, boxesInCode };
  return { ...document, sections: splitSections(read.blocks, document, notes) };
}

/** The reason why HTML is not imported. */
export const HTML_REASON = 'HTML, comments included, is not imported';

function findTouchedLines(plain: string, text: string): Set<number> {
  if (plain === text) return new Set();
  const [before, after] = [plain.split('\n'), text.split('\n')];
  return new Set(before.flatMap((line, index) => (line === after[index] ? [] : [index + 1])));
}

function splitSections(
  blocks: readonly MarkdownBlock[],
  document: SourceDocument,
  notes: ImportNotes,
): SourceSection[] {
  const sections: SourceSection[] = [{ depth: 0, title: '', at: { path: document.path, line: 1 }, blocks: [] }];
  for (const block of blocks) {
    const at = getBlockLocation(block, document);
    if (block.type === 'heading') {
      sections.push({ depth: block.depth, title: showInline(block.children, document), at, blocks: [] });
    } else if (block.type === 'html') {
      notes.refuse(at, block.value, HTML_REASON);
    } else if (block.type === 'definition') {
      notes.refuse(at, renderBlockOnOneLine(block, document), 'nobody sees it who reads the text');
    } else if (block.type !== 'thematicBreak') sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

const BOX_IN_CODE = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[[^\n\]]{0,3}\][ \t]/;

function findBoxes(block: MarkdownBlock, path: string): SourceDocument['boxesInCode'] {
  if (block.type === 'list' || block.type === 'blockquote') {
    const below: MarkdownBlock[] =
      block.type === 'list' ? block.children.flatMap(({ children }) => children) : block.children;
    return below.flatMap((child) => findBoxes(child, path));
  }
  if (block.type !== 'code') return [];
  const begin = (block.position?.start.line ?? 1) + 1;
  const found = block.value
    .split('\n')
    .flatMap((text, index) => (BOX_IN_CODE.test(text) ? [{ text, line: begin + index }] : []));
  const [first] = found;
  return first === undefined
    ? []
    : [{ path, text: first.text.trim(), line: first.line, end: found.at(-1)?.line ?? first.line }];
}

/** Lists the headings above a line, outermost first, without the title of the document. */
export function listHeadings({ sections }: SourceDocument, line: number): SourceSection[] {
  const above: SourceSection[] = [];
  for (const section of sections.filter(({ at, depth }) => depth > 0 && at.line <= line)) {
    while ((above.at(-1)?.depth ?? 0) >= section.depth) above.pop();
    if (section.at.line < line) above.push(section);
  }
  const title = sections.find(({ depth }) => depth > 0);
  return above.filter((section) => section.depth > 1 || section !== title);
}

/** Lists the section of a heading and all sections below it, up to the next heading of the same or a higher level. */
export function getTree(sections: readonly SourceSection[], from: SourceSection): SourceSection[] {
  const start = sections.indexOf(from);
  const end = sections.findIndex(({ depth }, index) => index > start && depth <= from.depth);
  return sections.slice(start, end < 0 ? undefined : end);
}

/** Returns the lines of a section, including its heading. */
export function getSectionLocation({ at, blocks }: SourceSection, document: SourceDocument): SourceLocation {
  const last = blocks.at(-1);
  return { ...at, end: last === undefined ? at.line : (getBlockLocation(last, document).end ?? at.line) };
}

/** Returns the position of a block. */
export function getBlockLocation(
  block: Pick<MarkdownBlock, 'position'>,
  { path }: Pick<SourceDocument, 'path'>,
): SourceLocation {
  const line = block.position?.start.line ?? 1;
  return { path, line, end: block.position?.end.line ?? line };
}

/** Renders inline content on one line, cleaned and with secrets masked. */
function showInline(nodes: readonly Inline[], { text }: Pick<SourceDocument, 'text'>): string {
  const tokens = readTokens(nodes, text).flatMap((token): Token[] => {
    if (token.kind !== 'mark') return [token];
    // Underscores are kept, because they are often part of a name, as in `src/__init__.py`, and not emphasis.
    return token.typed.startsWith('_') ? [{ kind: 'text', value: token.typed }] : [];
  });
  return toWholeLine(writeTokens(tokens));
}

/** Renders a block on one line: a paragraph or heading without its Markdown marks, any other block as it is written. */
export function renderBlockOnOneLine(block: MarkdownBlock, document: Pick<SourceDocument, 'text' | 'path'>): string {
  if (block.type === 'paragraph' || block.type === 'heading') return showInline(block.children, document);
  return toWholeLine(document.text.slice(block.position?.start.offset, block.position?.end.offset));
}

/** Reads the entries of a list. */
export function readItems(list: Extract<MarkdownBlock, { type: 'list' }>, document: SourceDocument): SourceItem[] {
  return list.children.map((item) => readItem(item, document));
}

/** Matches a checkbox at the beginning of a text. `[P]` is a label that means parallel. */
const BOX = /^\[ *((?![P\]])[^\s\p{N}]|) *\](?:\\?(\*))?(?:\s+|$)/u;

/** Separates the checkbox from a line: `[ ]`, `[]`, `[x]`, `[~]`; `[ ]*` means optional. */
export function readBox(line: string): { text: string; box: CheckboxState | null; mark: string | null } {
  const [lead, sign, star] = BOX.exec(line) ?? [];
  if (lead === undefined || sign === undefined) return { text: line, box: null, mark: null };
  const text = `${line.slice(lead.length)}${star === '*' ? ' (optional)' : ''}`;
  if (/^☐?$/u.test(sign)) return { text, box: 'open', mark: null };
  return /^[xX✓✔✅☑]$/u.test(sign) ? { text, box: 'done', mark: null } : { text, box: 'marked', mark: sign };
}

/** Returns whether an entry, or one nested in it, has a checkbox. */
export const hasBox = ({ box, children }: SourceItem): boolean => box !== null || children.some(hasBox);

/** Lists entries and their nested entries, in order. */
export const flattenItems = (items: readonly SourceItem[]): SourceItem[] =>
  items.flatMap((item) => [item, ...flattenItems(item.children)]);

function readItem({ children, position }: ListItem, document: SourceDocument): SourceItem {
  const [first, ...others] = children;
  const lead = first?.type === 'paragraph' ? first : null;
  const blocks = lead === null ? children : others;
  const shown = lead === null ? '' : showInline(lead.children, document);
  return {
    ...readBox(shown),
    at: getBlockLocation({ position }, document),
    children: blocks.flatMap((block) => (block.type === 'list' ? readItems(block, document) : [])),
    rest: blocks.filter(({ type }) => type !== 'list'),
  };
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)$/;

interface Open {
  line: number;
  mark: string;
  inner: number;
}

/**
 * Lengthens the fences of each code block that contains other code blocks, because Markdown would take an inner fence
 * of the same length for the block's end (plans-from-elsewhere.md, What becomes of what). From a block with unbalanced
 * fences on, the text stays as it is. Line numbers do not change.
 * @param text with LF line endings
 */
function mendFences(text: string): string {
  const written = text.split('\n');
  const lines = [...written];
  const open: Open[] = [];
  for (const [index, line] of written.entries()) {
    const [, , mark, info = ''] = FENCE.exec(line) ?? [];
    if (mark === undefined) continue;
    const top = open.at(-1);
    if (top === undefined) open.push({ line: index, mark, inner: 0 });
    else if (mark.charAt(0) !== top.mark.charAt(0) || mark.length < top.mark.length) continue;
    else if (info.trim() !== '') {
      top.inner = Math.max(top.inner, mark.length);
      open.push({ line: index, mark, inner: 0 });
    } else close(lines, open, index);
  }
  const even = open[0]?.line ?? lines.length;
  return [...lines.slice(0, even), ...written.slice(even)].join('\n');
}

/** Ends the innermost open block at this line. If it contains other blocks, its fences are made longer than theirs. */
function close(lines: string[], open: Open[], index: number): void {
  const block = open.pop();
  if (block === undefined) return;
  const outer = open.at(-1);
  if (block.inner > 0) {
    const longer = block.mark.charAt(0).repeat(block.inner + 1);
    for (const at of [block.line, index]) lines[at] = (lines[at] ?? '').replace(/`{3,}|~{3,}/, longer);
    if (outer !== undefined) outer.inner = Math.max(outer.inner, longer.length);
  }
}
