/**
 * A line of a view: a sign, label or indentation, then cells that are two blanks apart. The cells of a todo are its id,
 * title, duration and notes.
 */
export type TextRow = readonly [lead: string, ...cells: string[]];

/** Renders a row as a line of text. After a sign, blanks at the end are removed. */
export function renderTextRow([lead, ...cells]: TextRow): string {
  const text = lead + cells.join('  ');
  return /^ *[^\w\s] /.test(lead) ? text.trimEnd() : text;
}
