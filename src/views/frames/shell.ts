import type { Size } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { fitLine, wrapSpans } from './columns.js';
import type { Cursor } from './cursor.js';
import { renderHelp, renderKeyLine, type ScreenName } from './keys.js';

/** What screens have in common: the lines at the bottom, and that a frame has as many lines as its screen. */

/** What a screen says besides its model. */
export interface Told {
  /** Instant in milliseconds up to which durations are shown. */
  now: number;
  /** What came of a key; cleaned. */
  notice: string | null;
}

/** Lines that a notice takes at most. */
const NOTICE = 3;

/** Whether a screen has only room for what waits. */
export function isTiny({ columns, rows }: Size): boolean {
  return columns < 40 || rows < 8;
}

/** Rows of a page: how far a key moves. */
export function countPage({ rows }: Size): number {
  return Math.max(1, rows - 8);
}

/** Lays out all keys, instead of anything else. */
export function renderKeys(on: ScreenName, size: Size): Line[] {
  return closeFrame(renderHelp(on, size), [[{ text: 'any key: back', as: 'quiet' }]], size);
}

/** The lines at the bottom: what is asked, looked for or told, then the keys. */
export function renderBottom(on: ScreenName, cursor: Cursor, { notice }: Told, columns: number): Line[] {
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

/** Cuts or fills a frame to exactly the lines of the screen, each to its columns; the bottom stays. */
export function closeFrame(body: readonly Line[], bottom: readonly Line[], { columns, rows }: Size): Line[] {
  const last = bottom.slice(-rows);
  const room = rows - last.length;
  const above = Array.from({ length: room }, (_, index) => body[index] ?? []);
  return [...above, ...last].map((line) => fitLine(line, columns));
}
