/**
 * A line of a view: its sign, label or indentation, then what stands two blanks apart. Of a todo that is its id, its title, how long it
 * took, and notes.
 */
export type Row = readonly [lead: string, ...cells: string[]];

/** Writes a row as a line of text; behind a sign, without blanks at its end. */
export function renderRow([lead, ...cells]: Row): string {
  const text = lead + cells.join('  ');
  return /^ *[^\w\s] /.test(lead) ? text.trimEnd() : text;
}
