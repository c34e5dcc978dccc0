import type { CommandFormatter } from '../../base/invocation.js';
import type { Paragraph, Span } from '../../base/spans.js';
import { type HistoryMoment, type HistoryView, listEarlier, listHead, listMoments } from '../history-text.js';
import { layOutInstruction, layOutRow } from './rows.js';

/** With fewer than DATED columns, the day is left out; with fewer than SECONDS, the seconds are left out, too. */
const DATED = 80;
const SECONDS = 60;

/**
 * Lays out a history for a terminal: the entry's number, the local time, then what happened, worded as in the text
 * output.
 * @param subjects the command or commit that an entry is about, by the entry's number
 */
export function layOutHistory(
  view: HistoryView,
  subjects: ReadonlyMap<number, string>,
  { format, columns }: { format: CommandFormatter; columns: number },
): Paragraph[] {
  const notes = [
    ...listEarlier(view).map((earlier) => layOutInstruction(earlier, format)),
    ...view.warnings.map((text): Span[] => [{ text }]),
  ];
  return [
    ...view.runs.flatMap((run, index) => {
      const moments = listMoments(view, run);
      const width = Math.max(0, ...moments.map(({ seq }) => String(seq).length));
      return [
        ...(index === 0 ? [] : [BLANK]),
        ...listHead(view, run, formatLocal(run.at, DATED)).map((row) => layOutRow(row, columns)),
        BLANK,
        ...moments.flatMap((moment) => layOutMoment(moment, { subject: subjects.get(moment.seq), width, columns })),
      ];
    }),
    ...notes.flatMap((spans) => [BLANK, { spans: [{ text: '! ', as: 'bad' as const }, ...spans], indent: 2 }]),
  ];
}

const BLANK: Paragraph = { spans: [], indent: 0 };

function layOutMoment(
  { seq, at, text, entry, below }: HistoryMoment,
  { subject, width, columns }: { subject: string | undefined; width: number; columns: number },
): Paragraph[] {
  const when = `${String(seq).padStart(width)}  ${formatLocal(at, columns)}  `;
  const [sign = '', ...words] = text.split(' ');
  const { spans } = layOutRow([`${sign} `, words.join(' ')], columns);
  const named: Span[] =
    subject === undefined || entry !== undefined ? [] : [{ text: '  ' }, { text: subject, as: 'strong' }];
  // On a narrow terminal there is hardly any room beside the time, so wrapped lines begin below it.
  const indent = columns < SECONDS ? width + 2 : when.length + 2;
  return [
    { spans: [{ text: when, as: 'quiet' }, ...spans, ...named], indent },
    ...below.map((line) => ({
      spans: [{ text: ' '.repeat(indent) }, { text: line, as: 'quiet' as const }],
      indent: indent + 2,
    })),
  ];
}

/** Formats as `2026-11-21 21:38:00` in local time; a narrow terminal has no room for the day, or the seconds. */
function formatLocal(at: string, columns: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return `${columns < DATED ? '' : day}${time}${columns < SECONDS ? '' : `:${two(date.getSeconds())}`}`;
}
