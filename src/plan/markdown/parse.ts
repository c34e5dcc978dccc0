import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

type Root = ReturnType<typeof fromMarkdown>;
export type Block = Root['children'][number];
type BlockOf<T extends Block['type']> = Extract<Block, { type: T }>;
export type ListItem = BlockOf<'list'>['children'][number];
export type TableRow = BlockOf<'table'>['children'][number];
export type Inline = BlockOf<'paragraph'>['children'][number];

/** Parses Markdown: CommonMark with tables. */
export function parseMarkdown(text: string): Block[] {
  return fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }).children;
}

/** What nobody writes by hand, and would take the parser minutes. */
const LEVELS = /^[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+){20}/;

/** What is wrong with a line that is nested too deep. */
export const NESTED = 'begins more than 20 levels';

/** Whether quotations and lists begin in a line, one in the other, on more levels than anybody means. */
export function isNested(line: string): boolean {
  return LEVELS.test(line);
}
