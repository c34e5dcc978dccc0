import type { Line, Paragraph } from '../base/spans.js';
import { fitColumns, layOutParagraphs } from '../views/frames/paragraphs.js';

/**
 * Lays out text for a person's terminal that is `columns` wide (view.md, Width).
 * @param build gets the width that the text may use
 */
export async function layOutFor(
  columns: number,
  build: (columns: number) => Promise<readonly Paragraph[]>,
): Promise<Line[]> {
  return layOutParagraphs(await build(fitColumns(columns)), columns);
}
