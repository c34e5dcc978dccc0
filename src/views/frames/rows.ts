import type { CommandFormatter, Instruction } from '../../base/invocation.js';
import type { Paragraph, Shade, Span } from '../../base/spans.js';
import type { TextRow } from '../rows.js';
import { SIGNS } from '../signs.js';
import { fitText, measureText, padLine } from './columns.js';

/** With fewer than WIDE columns, wrapped text is indented less; with fewer than TIMED, todos have no durations. */
const WIDE = 80;
const TIMED = 60;

const SHADES: ReadonlyMap<string, Shade> = new Map([
  ...Object.values(SIGNS).map(({ sign, as }) => [sign, as] as const),
  ['↻', 'busy'],
  ['■', 'strong'],
  ['!', 'bad'],
]);

/** Lays out a row of a view for a terminal of the given width. Only the title of a todo is cut. */
export function layOutRow([lead, ...cells]: TextRow, columns: number): Paragraph {
  const mark = lead.trim();
  const [first = '', title, time = '', ...notes] = cells;
  const begin: Span[] = lead === '' ? [] : [{ text: lead, as: SHADES.get(mark) ?? 'quiet' }];
  const own = measureText(lead);
  if (title === undefined) {
    const indent = own > 0 ? own : (/^ */.exec(first)?.[0].length ?? 0) + 2;
    return { spans: [...begin, ...paintSigns(first)], indent };
  }
  const width = Math.min(title.length, Math.max(12, Math.floor(columns / 3)));
  // A row with a sign, and with cells after its title, is that of a todo.
  const isTodo = SHADES.has(mark) && cells.length > 2;
  const shown = isTodo ? padLine([{ text: fitText(title.trimEnd(), width) }], width) : [{ text: title }];
  const more = [
    ...(isTodo && columns < TIMED ? [] : [{ text: time, as: 'quiet' as const }]),
    ...notes.map((text) => ({ text })),
  ];
  const spans = [...begin, { text: first, as: 'strong' as const }, { text: '  ' }, ...shown];
  const indent = own + (columns < WIDE ? 2 : measureText(first) + 2);
  return { spans: [...spans, ...more.flatMap((span) => [{ text: '  ' }, span])], indent };
}

/**
 * Colours the signs with which parts of a text begin; two or more spaces separate parts. A line cannot break between a
 * sign and the word after it.
 */
function paintSigns(text: string): Span[] {
  return text.split(/(?<=^ *|\s{2})(\S \S.*?)(?=\s{2}|$)/u).map((part) => {
    const as = SHADES.get(part.slice(0, 1));
    return as === undefined ? { text: part } : { text: part.replace(' ', '\u00a0'), as };
  });
}

/** Returns the spans of an instruction; its commands can be copied. */
export function layOutInstruction(instruction: Instruction, format: CommandFormatter): Span[] {
  return instruction.map((part) =>
    typeof part === 'string' ? { text: part } : { text: format(part), as: 'busy', command: true },
  );
}
