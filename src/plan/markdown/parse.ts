import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

type Root = ReturnType<typeof fromMarkdown>;
export type MarkdownBlock = Root['children'][number];
type BlockOf<T extends MarkdownBlock['type']> = Extract<MarkdownBlock, { type: T }>;
export type ListItem = BlockOf<'list'>['children'][number];
export type TableRow = BlockOf<'table'>['children'][number];
export type Inline = BlockOf<'paragraph'>['children'][number];

/** Parses Markdown: CommonMark with tables. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  return fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }).children;
}

/** Matches a line that begins 20 levels of nesting: nobody writes that by hand, and the parser would take minutes. */
const LEVELS = /^[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+){20}/;

/** The problem reported for a line that is nested too deeply. */
export const NESTED = 'begins more than 20 levels';

/** Returns whether a line begins so many nested quotations and lists that it is refused. */
export function isNested(line: string): boolean {
  return LEVELS.test(line);
}
