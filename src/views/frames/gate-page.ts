import { type Decision, type DecisionSection, listAnswers } from '../../base/decision.js';
import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { wrapSpans } from './columns.js';
import { fitFrame } from './shell.js';

/** The state of a gate's page while a person reads it. */
export interface GatePlace {
  /** The first text line shown. */
  top: number;
  typed: string;
  /** Why the last input was wrong or ignored. */
  notice: string;
}

/** The page, and how far it scrolls. */
export interface GateFrame {
  lines: Line[];
  /** The largest possible `top`. */
  last: number;
  /** How many lines of text are shown. */
  room: number;
}

/**
 * Lays out a gate as a page: the answers stay at the bottom, the text scrolls above them, with changes first (view.md,
 * Gate).
 * @param question the prompt below the answers
 */
export function renderGateFrame(decision: Decision, size: TerminalSize, place: GatePlace, question: string): GateFrame {
  const { columns, rows } = size;
  const text = renderSections(decision.sections, columns);
  const notice = place.notice === '' ? [] : wrapSpans([{ text: place.notice, as: 'bad' }], columns, 2);
  const asked = wrapSpans([{ text: question.trimEnd() }], columns - 8, 2);
  const end = asked.at(-1) ?? [];
  const bottom = [
    ...listAnswers(decision).flatMap((line) => wrapSpans([{ text: line, as: 'you' }], columns, 3)),
    ...notice,
    ...asked.slice(0, -1),
    [...end, { text: ` ${place.typed}` }],
  ];
  const room = Math.max(1, rows - bottom.length - 3);
  const last = Math.max(0, text.length - room);
  const top = Math.min(place.top, last);
  const title: Line = [{ text: decision.title, as: 'strong' }];
  const range: Line = [{ text: describeRange(top, room, text.length), as: 'quiet' }];
  return { lines: fitFrame([title, ...text.slice(top)], [range, [], ...bottom], size), last, room };
}

function describeRange(top: number, room: number, length: number): string {
  if (length <= room) return '';
  const end = Math.min(length, top + room);
  return `${top + 1}–${end} of ${length}${end < length ? ' ↓' : ''}${top > 0 ? ' ↑' : ''}`;
}

/** Puts changes first. Indents the rest of a wrapped line, so that it does not look like a new line. */
function renderSections(sections: readonly DecisionSection[], columns: number): Line[] {
  const isChange = ({ heading }: DecisionSection) => heading.startsWith('What changed');
  const inOrder = [...sections.filter(isChange), ...sections.filter((one) => !isChange(one))];
  return inOrder.flatMap(({ heading, lines }) => [
    [],
    ...wrapSpans([{ text: clean(heading), as: 'strong' }], columns, 2),
    ...lines.flatMap((line) => {
      const shown = clean(/^(- | {2})/.test(line) ? line : `- ${line}`);
      const indent = (/^ {0,8}/.exec(shown)?.[0].length ?? 0) + 2;
      return wrapSpans([{ text: shown }], columns, indent);
    }),
  ]);
}

/** Puts a line's text on one line without omitting anything: a person must see all that they decide on. */
function clean(line: string): string {
  return line.replaceAll('\t', '  ').replaceAll(/\r?\n/g, ' ');
}
