import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { fitLine, wrapSpans } from './columns.js';
import type { ScreenCursor } from './cursor.js';
import { renderHelp, renderKeyLine, type ScreenName } from './keys.js';

/** The parts that all screens share: the lines at the bottom, and fitting a frame to the height of the screen. */

/** What a screen shows in addition to its model. */
export interface FrameContext {
  /** The current time in milliseconds, up to which durations are counted. */
  now: number;
  /** The message that a key caused; sanitized. */
  notice: string | null;
}

/** The largest number of lines for a notice. */
const NOTICE = 3;

/** Whether a screen is so small that it shows only what waits for the person. */
export function isTinyScreen({ columns, rows }: TerminalSize): boolean {
  return columns < 40 || rows < 8;
}

/** Returns how many rows a page key moves the cursor. */
export function countPage({ rows }: TerminalSize): number {
  return Math.max(1, rows - 8);
}

/** Lays out all keys, in place of the screen. */
export function renderKeys(on: ScreenName, size: TerminalSize): Line[] {
  return fitFrame(renderHelp(on, size), [[{ text: 'any key: back', as: 'quiet' }]], size);
}

/** Lays out the bottom lines: a question, the search text or a notice, then the keys. */
export function renderBottom(on: ScreenName, cursor: ScreenCursor, { notice }: FrameContext, columns: number): Line[] {
  const keys = renderKeyLine(on, columns);
  const said = notice === null ? [] : wrapSpans([{ text: notice, as: 'you' }], columns, 2).slice(0, NOTICE);
  if (cursor.asksHold) return [[{ text: 'Hold the run? ', as: 'you' }, { text: 'y: yes; any other key: no' }], keys];
  if (cursor.isTyping) {
    const typed: Line = [{ text: '/', as: 'strong' }, { text: cursor.find }];
    return [...said, typed, [{ text: 'Enter: done  Esc: give up', as: 'quiet' }]];
  }
  const filters = [
    ...(cursor.find === '' ? [] : [`finds "${cursor.find}"`]),
    ...(cursor.onlyFailed ? ['failed only'] : []),
    ...(cursor.inOrder ? ['order of the plan'] : []),
    ...(cursor.allEnded ? ['all ended'] : []),
  ];
  return [...said, ...(filters.length === 0 ? [] : [[{ text: filters.join(' · '), as: 'quiet' as const }]]), keys];
}

/** Cuts or pads a frame to exactly the lines of the screen, and each line to its columns. The bottom lines are kept. */
export function fitFrame(body: readonly Line[], bottom: readonly Line[], { columns, rows }: TerminalSize): Line[] {
  const last = bottom.slice(-rows);
  const room = rows - last.length;
  const above = Array.from({ length: room }, (_, index) => body[index] ?? []);
  return [...above, ...last].map((line) => fitLine(line, columns));
}
