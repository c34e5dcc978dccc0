import type { Line, Paragraph, Span } from '../../base/spans.js';
import { measureMost, wrapSpans } from './columns.js';

/** Lines are laid out for at least LEAST columns, even if the terminal has fewer, and for at most MOST. */
const LEAST = 40;
const MOST = 200;

/**
 * Lays out paragraphs so that the terminal need not wrap any line (view.md, Width). A command that does not fit on a
 * line gets lines of its own, continued as a shell accepts it.
 * @param columns the terminal's width
 */
export function layOutParagraphs(paragraphs: readonly Paragraph[], columns: number): Line[] {
  const room = fitColumns(columns);
  return paragraphs.flatMap(({ most = room, ...paragraph }) => layOutParagraph(paragraph, Math.min(room, most)));
}

/** Returns the columns to lay out for, in a terminal of the given width. */
export function fitColumns(columns: number): number {
  return Math.min(MOST, Math.max(LEAST, columns));
}

function layOutParagraph({ spans, indent }: Paragraph, columns: number): Line[] {
  const lines: Line[] = [];
  const blanks = { text: ' '.repeat(indent) };
  let pending: Span[] = [];
  const flush = () => {
    if (pending.some(({ text }) => text.trim() !== '')) lines.push(...wrapSpans(pending, columns, indent));
    pending = [blanks];
  };
  for (const { text, ...span } of spans) {
    // Terminals differ in the width of a tab, so a tab could not be measured.
    const shown = { ...span, text: text.replace(/[\t\n\r]+/g, ' ') };
    if (span.command === true && measureMost(shown.text) > columns - indent) {
      flush();
      lines.push(...wrapSpans([blanks, shown], columns, indent + 2, ' \\'));
    } else pending.push(shown);
  }
  flush();
  return lines.length === 0 ? [[]] : lines;
}
