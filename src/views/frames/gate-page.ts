import { type Decision, type DecisionSection, listAnswers } from '../../base/decision.js';
import type { Size } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { wrapSpans } from './columns.js';
import { closeFrame } from './shell.js';

/** Where a person is on the page of a gate. */
export interface GatePlace {
  /** The first line of the text that is shown. */
  top: number;
  typed: string;
  /** What was wrong with what was typed, or was ignored. */
  notice: string;
}

/** The page, and how far it can be scrolled. */
export interface GateFrame {
  lines: Line[];
  /** The last `top`. */
  last: number;
  /** Lines of text that are shown. */
  room: number;
}

/**
 * Lays out what a person decides on as a page: the answers stand at the bottom, the text scrolls above, what has changed first
 * (view.md, Gate).
 * @param question what is asked below the answers
 */
export function renderGateFrame(decision: Decision, size: Size, place: GatePlace, question: string): GateFrame {
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
  return { lines: closeFrame([title, ...text.slice(top)], [range, [], ...bottom], size), last, room };
}

function describeRange(top: number, room: number, length: number): string {
  if (length <= room) return '';
  const end = Math.min(length, top + room);
  return `${top + 1}–${end} of ${length}${end < length ? ' ↓' : ''}${top > 0 ? ' ↑' : ''}`;
}

/** What has changed stands first; what goes on stands further in than its line, so that it passes for no line of its own. */
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

/** On one line; nothing of it is left out, or what is decided on would not be all. */
function clean(line: string): string {
  return line.replaceAll('\t', '  ').replaceAll(/\r?\n/g, ' ');
}
