import type { CommandFormatter, Instruction } from '../../base/invocation.js';
import type { Paragraph, Shade, Span } from '../../base/spans.js';
import type { Row } from '../rows.js';
import { SIGNS } from '../signs.js';
import { fitText, measureText, padLine } from './columns.js';

/** Columns below which what goes on begins near the left, and those below which how long a todo took leaves. */
const WIDE = 80;
const TIMED = 60;

const SHADES: ReadonlyMap<string, Shade> = new Map([
  ...Object.values(SIGNS).map(({ sign, as }) => [sign, as] as const),
  ['↻', 'busy'],
  ['■', 'strong'],
  ['!', 'bad'],
]);

/** Lays a row of a view out for a terminal of so many columns. Of its cells only a title is cut. */
export function layOutRow([lead, ...cells]: Row, columns: number): Paragraph {
  const mark = lead.trim();
  const [first = '', title, time = '', ...notes] = cells;
  const begin: Span[] = lead === '' ? [] : [{ text: lead, as: SHADES.get(mark) ?? 'quiet' }];
  const own = measureText(lead);
  if (title === undefined) {
    const indent = own > 0 ? own : (/^ */.exec(first)?.[0].length ?? 0) + 2;
    return { spans: [...begin, ...paintSigns(first)], indent };
  }
  const width = Math.min(title.length, Math.max(12, Math.floor(columns / 3)));
  // Of a todo there is more than its id and its title.
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

/** Spans of a text whose parts, two blanks apart or more, may begin with a sign; that stays with the word behind it. */
function paintSigns(text: string): Span[] {
  return text.split(/(?<=^ *|\s{2})(\S \S.*?)(?=\s{2}|$)/u).map((part) => {
    const as = SHADES.get(part.slice(0, 1));
    return as === undefined ? { text: part } : { text: part.replace(' ', '\u00a0'), as };
  });
}

/** Spans of an instruction, its commands to be copied. */
export function layOutInstruction(instruction: Instruction, format: CommandFormatter): Span[] {
  return instruction.map((part) =>
    typeof part === 'string' ? { text: part } : { text: format(part), as: 'busy', command: true },
  );
}
