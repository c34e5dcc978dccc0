/**
 * A line of a view: a sign, label or indentation, then cells that are two spaces apart. The cells of a todo are its id,
 * title, duration and notes.
 */
export type TextRow = readonly [lead: string, ...cells: string[]];

/** Renders a row as a line of text. If the row begins with a sign, spaces at the end of the line are removed. */
export function renderTextRow([lead, ...cells]: TextRow): string {
  const text = lead + cells.join('  ');
  return /^ *[^\w\s] /.test(lead) ? text.trimEnd() : text;
}
