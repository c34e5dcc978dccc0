/**
 * A line of a view: a sign, label or indentation, then cells that are two blanks apart. The cells of a todo are its id,
 * title, duration and notes.
 */
export type Row = readonly [lead: string, ...cells: string[]];

/** Renders a row as a line of text. After a sign, blanks at the end are removed. */
export function renderRow([lead, ...cells]: Row): string {
  const text = lead + cells.join('  ');
  return /^ *[^\w\s] /.test(lead) ? text.trimEnd() : text;
}
