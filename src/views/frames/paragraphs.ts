import type { Line, Paragraph, Span } from '../../base/spans.js';
import { measureMost, wrapSpans } from './columns.js';

/** Columns of the narrowest terminal for which lines are laid out, and of the longest line. */
const LEAST = 40;
const MOST = 200;

/**
 * Lays paragraphs out for a terminal, so that it wraps no line (view.md, Width). A command that no line has room for stands alone, and
 * goes on as a shell takes it.
 * @param columns of the terminal
 */
export function layOut(paragraphs: readonly Paragraph[], columns: number): Line[] {
  const room = fitColumns(columns);
  return paragraphs.flatMap(({ most = room, ...paragraph }) => layOutParagraph(paragraph, Math.min(room, most)));
}

/** The columns that there are to lay out for, in a terminal of so many. */
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
    // A tab would be as wide as the terminal likes.
    const shown = { ...span, text: text.replace(/[\t\n\r]+/g, ' ') };
    if (span.command === true && measureMost(shown.text) > columns - indent) {
      flush();
      lines.push(...wrapSpans([blanks, shown], columns, indent + 2, ' \\'));
    } else pending.push(shown);
  }
  flush();
  return lines.length === 0 ? [[]] : lines;
}
