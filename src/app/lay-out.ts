import type { Line, Paragraph } from '../base/spans.js';
import { fitColumns, layOut } from '../views/frames/paragraphs.js';

/**
 * Lays out what a person reads at a terminal of so many columns (view.md, Width).
 * @param build is told the columns that there are to lay out for
 */
export async function layOutFor(
  columns: number,
  build: (columns: number) => Promise<readonly Paragraph[]>,
): Promise<Line[]> {
  return layOut(await build(fitColumns(columns)), columns);
}
