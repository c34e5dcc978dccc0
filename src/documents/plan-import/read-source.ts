import { stripInvisible } from '../../base/visible.js';
import { toWholeLine } from '../foreign.js';
import type { Block, Inline, ListItem } from '../plan-edit/markdown.js';
import { readTokens, type Token, writeTokens } from '../plan-edit/tokens.js';
import type { ImportNotes } from './notes.js';
import type { Place, SourceFile } from './source-plan.js';
import { readVisible } from './visible.js';

/** A source as Markdown: its sections, and the lines of its lists. */

/** A heading with what stands below it, up to the next heading. */
export interface Section {
  /** 0: what stands before the first heading. */
  depth: number;
  title: string;
  at: Place;
  blocks: Block[];
}

/** A source that was read. */
export interface SourceDocument {
  path: string;
  /** As it is seen: without invisible characters. */
  text: string;
  sections: Section[];
  /** Lines that hold something nobody sees. */
  touched: ReadonlySet<number>;
}

/** An entry of a list. */
export interface SourceItem {
  /** Its first paragraph in one line, without its box. */
  text: string;
  box: 'open' | 'done' | null;
  at: Place;
  /** Its code in backticks. */
  codes: string[];
  children: SourceItem[];
  /** What it holds besides its first paragraph and its lists. */
  rest: Block[];
}

/** Invisible characters that are named at most. */
const TOUCHED_NAMED = 10;

/**
 * Reads a source; what nobody sees in it is left out and noted.
 * @throws TooDeepError
 */
export function readSource({ path, text: raw }: SourceFile, notes: ImportNotes): SourceDocument {
  const plain = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const text = stripInvisible(plain);
  const touched = findTouchedLines(plain, text);
  for (const line of [...touched].slice(0, TOUCHED_NAMED)) {
    notes.refuse({ path, line }, 'invisible characters', 'nobody sees them; they are left out');
  }
  // Lines stay what they are.
  const read = readVisible({ path, text }, (comment) => comment.replace(/[^\n]/g, ''));
  for (const { comment, line } of read.hidden) notes.refuse({ path, line }, comment, HTML);
  const document: SourceDocument = { path, text: read.text, sections: [], touched };
  return { ...document, sections: splitSections(read.blocks, document, notes) };
}

/** Why HTML has no place. */
export const HTML = 'HTML, comments included, is not imported';

function findTouchedLines(plain: string, text: string): Set<number> {
  if (plain === text) return new Set();
  const [before, after] = [plain.split('\n'), text.split('\n')];
  return new Set(before.flatMap((line, index) => (line === after[index] ? [] : [index + 1])));
}

function splitSections(blocks: readonly Block[], document: SourceDocument, notes: ImportNotes): Section[] {
  const sections: Section[] = [{ depth: 0, title: '', at: { path: document.path, line: 1 }, blocks: [] }];
  for (const block of blocks) {
    const at = getPlace(block, document);
    if (block.type === 'heading') {
      sections.push({ depth: block.depth, title: showInline(block.children, document), at, blocks: [] });
    } else if (block.type === 'html') {
      notes.refuse(at, block.value, HTML);
    } else if (block.type === 'definition') {
      notes.refuse(at, showBlock(block, document), 'nobody sees it who reads the text');
    } else if (block.type !== 'thematicBreak') sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

/** The sections below a heading, up to the next one of its depth, the heading's own first. */
export function getTree(sections: readonly Section[], from: Section): Section[] {
  const start = sections.indexOf(from);
  const end = sections.findIndex(({ depth }, index) => index > start && depth <= from.depth);
  return sections.slice(start, end < 0 ? undefined : end);
}

/** Where a block stands. */
export function getPlace(block: Pick<Block, 'position'>, { path }: Pick<SourceDocument, 'path'>): Place {
  const line = block.position?.start.line ?? 1;
  return { path, line, end: block.position?.end.line ?? line };
}

/** Shows what a line says, cleaned, secrets masked, in one line. */
function showInline(nodes: readonly Inline[], { text }: Pick<SourceDocument, 'text'>): string {
  const tokens = readTokens(nodes, text).flatMap((token): Token[] => {
    if (token.kind !== 'mark') return [token];
    // Underscores are as often a part of a name as they are emphasis: `src/__init__.py`.
    return token.typed.startsWith('_') ? [{ kind: 'text', value: token.typed }] : [];
  });
  return toWholeLine(writeTokens(tokens));
}

/** Shows what a block says in one line; a list as its entries, code as it is. */
export function showBlock(block: Block, document: Pick<SourceDocument, 'text' | 'path'>): string {
  if (block.type === 'paragraph' || block.type === 'heading') return showInline(block.children, document);
  return toWholeLine(document.text.slice(block.position?.start.offset, block.position?.end.offset));
}

/** Reads the entries of a list. */
export function readItems(list: Extract<Block, { type: 'list' }>, document: SourceDocument): SourceItem[] {
  return list.children.map((item) => readItem(item, document));
}

const BOX = /^\[([ xX])\](?:\s+|$)/;

function readItem({ children, position }: ListItem, document: SourceDocument): SourceItem {
  const [first, ...others] = children;
  const lead = first?.type === 'paragraph' ? first : null;
  const blocks = lead === null ? children : others;
  const shown = lead === null ? '' : showInline(lead.children, document);
  const mark = BOX.exec(shown)?.[1];
  return {
    text: mark === undefined ? shown : shown.replace(BOX, ''),
    box: mark === undefined ? null : mark === ' ' ? 'open' : 'done',
    at: getPlace({ position }, document),
    codes: lead === null ? [] : listCodes(lead.children, document),
    children: blocks.flatMap((block) => (block.type === 'list' ? readItems(block, document) : [])),
    rest: blocks.filter(({ type }) => type !== 'list'),
  };
}

/** Lists the code in backticks of a line. */
function listCodes(nodes: readonly Inline[], { text }: Pick<SourceDocument, 'text'>): string[] {
  return readTokens(nodes, text).flatMap((token) => (token.kind === 'code' ? [token.value] : []));
}
