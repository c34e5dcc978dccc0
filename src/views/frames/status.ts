import type { CommandFormatter } from '../../base/invocation.js';
import type { Paragraph } from '../../base/spans.js';
import type { TextRow } from '../rows.js';
import { type RunView, renderSections } from '../run-view.js';
import { buildStatusJson, listStatusRows, type StatusOptions } from '../status.js';
import { layOutInstruction, layOutRow } from './rows.js';

/** The lead of the row that says what the reader can do. */
const YOU = 'you    ';

/** Lays out the status of a run for a terminal, with the same rows as the text output. */
export function layOutStatus(
  run: RunView,
  { sections, full, cost }: StatusOptions,
  { format, columns }: { format: CommandFormatter; columns: number },
): Paragraph[] {
  const status = buildStatusJson(run, cost);
  const rows = listStatusRows(run, status, { you: '', full, added: renderSections(run, 'status', sections) });
  return rows.flatMap(splitRow).map((row) => {
    if (row[0] !== YOU) return layOutRow(row, columns);
    return { spans: [{ text: YOU, as: 'quiet' }, ...layOutInstruction(status.you, format)], indent: YOU.length };
  });
}

/** Splits a row at its newlines, since the section of a wing has several lines. */
function splitRow([lead, text = '', ...more]: TextRow): TextRow[] {
  const [first = '', ...others] = text.split('\n');
  return [[lead, first, ...more], ...others.map((line): TextRow => ['', line])];
}
