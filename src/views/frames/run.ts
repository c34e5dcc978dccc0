import { formatDuration } from '../../base/duration.js';
import type { TerminalSize } from '../../base/screen.js';
import type { Line, Span } from '../../base/spans.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { SIGNS } from '../signs.js';
import { sortRows } from '../timeline.js';
import type { TimelineRow } from '../timeline-rows.js';
import { fitLine, fitText, measureText } from './columns.js';
import { findSelectedIndex, type ScreenCursor } from './cursor.js';
import { renderDetails } from './details.js';
import { renderHead } from './run-head.js';
import type { RunModel } from './run-model.js';
import { type FrameContext, fitFrame, isTinyScreen, renderBottom, renderKeys } from './shell.js';

/** From this number of columns, details are shown beside the rows. */
const BESIDE = 100;

/** Lists the rows in the order shown. */
export function listShownRows({ rows }: Pick<RunModel, 'rows'>, { inOrder, onlyFailed }: ScreenCursor): TimelineRow[] {
  const sorted = inOrder ? [...rows] : sortRows(rows);
  return onlyFailed ? sorted.filter(({ state }) => state === 'failed') : sorted;
}

/**
 * Lays out the screen of a run: exactly as many lines as the screen has, none wider than it (view.md, Run screen).
 * @param told the notice to show, and the current time in milliseconds, up to which durations are counted
 */
export function renderRunFrame(model: RunModel, size: TerminalSize, cursor: ScreenCursor, told: FrameContext): Line[] {
  const { columns, rows: height } = size;
  if (cursor.showsKeys) return renderKeys('run', size);
  if (isTinyScreen(size)) return fitFrame(renderTiny(model, told), [], size);
  const head = renderHead(model, size, told.now);
  const bottom = renderBottom('run', cursor, told, columns);
  const room = Math.max(1, height - head.length - bottom.length);
  const shown = listShownRows(model, cursor);
  const at = findSelectedIndex(cursor, shown);
  const chosen = shown[at];
  const isBeside = columns >= BESIDE;
  const width = isBeside ? Math.floor(columns * 0.56) : columns;
  const below = !isBeside && cursor.showsDetails ? Math.floor(room / 2) : 0;
  const list = renderRows(shown, at, { room: room - below, width, now: told.now, isRead: model.fault === null });
  const details = chosen === undefined ? [] : renderDetails(chosen, isBeside ? columns - width - 2 : columns, told.now);
  const body = isBeside ? join(list, details, { room, at: width + 2 }) : [...list, ...details.slice(0, below)];
  return fitFrame([...head, ...body], bottom, size);
}

const fill = (lines: Line[], room: number): Line[] => [...lines, ...Array<Line>(room - lines.length).fill([])];

function join(left: readonly Line[], right: readonly Line[], { room, at }: { room: number; at: number }): Line[] {
  return Array.from({ length: room }, (_, index) => {
    const [first, ...more] = right[index] ?? [];
    return [...(left[index] ?? []), ...(first === undefined ? [] : [{ ...first, at }, ...more])];
  });
}

/** Renders only whether the run waits for you, for a screen without room for more. */
function renderTiny({ name, waits }: RunModel, { now }: FrameContext): Line[] {
  if (waits.sign !== 'waiting') return [[{ text: `${name}: nothing waits for you` }]];
  const since = waits.since === null ? '' : ` ${formatDuration(now - waits.since)}`;
  return [
    [
      { text: SIGNS.waiting.sign, as: 'you' },
      { text: ` ${name}${since}`, as: 'strong' },
    ],
    [{ text: waits.text }],
  ];
}

interface List {
  room: number;
  width: number;
  now: number;
  isRead: boolean;
}

/** Renders the rows around the cursor. */
function renderRows(rows: readonly TimelineRow[], at: number, { room, width, now, isRead }: List): Line[] {
  if (rows.length === 0)
    return fill([[{ text: `  ${isRead ? 'nothing has failed' : 'cannot be read'}`, as: 'quiet' }]], room);
  const top = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room));
  const seen = rows.slice(top, top + room);
  const facts = seen.map((row) => describeRow(row, now));
  const ids = Math.min(Math.floor(width / 4), Math.max(...seen.map(({ id }) => measureText(id))));
  const last = Math.min(Math.floor(width / 3), Math.max(...facts.map(({ text }) => measureText(text))));
  const title = 4 + ids + 2;
  const fact = width - last;
  const lines = seen.map((row, index): Line => {
    const { sign, as } = SIGNS[row.state];
    const isHere = top + index === at;
    const room = fact - title - 2;
    const spans: Span[] = [
      { text: isHere ? '› ' : '  ', as: 'strong' },
      { text: sign, as },
      { text: fitText(toBoundedLine(row.id, 200), ids), at: 4, ...(isHere ? { as: 'strong' as const } : {}) },
      ...(room < 6 || row.title === row.id ? [] : [{ text: fitText(toBoundedLine(row.title, 300), room), at: title }]),
      { ...(facts[index] ?? { text: '' }), at: fact },
    ];
    return fitLine(spans, width);
  });
  return fill(lines, room);
}

/** Describes what a row is doing and since when, or its result. */
function describeRow({ state, segments, commit, why, after }: TimelineRow, now: number): Span {
  const out = segments.filter(({ to }) => to === null);
  const [first] = out;
  switch (state) {
    case 'running':
    case 'waiting':
      if (first === undefined) return { text: SIGNS[state].word, as: 'quiet' };
      return {
        text: `${toBoundedLine(first.what, 80)} ${formatDuration(now - first.from)}${out.length > 1 ? ` +${out.length - 1}` : ''}`,
        as: SIGNS[state].as,
      };
    case 'failed':
      return { text: toBoundedLine(why ?? SIGNS.failed.word, 120), as: 'bad' };
    case 'done':
      return { text: commit === null ? sumTime(segments) : commit.slice(0, 8), as: 'quiet' };
    case 'pending':
      return { text: after.length === 0 ? '' : toBoundedLine(`after ${after.join(', ')}`, 80), as: 'quiet' };
    case 'stale':
    case 'skipped':
      return { text: SIGNS[state].word, as: 'quiet' };
  }
}

function sumTime(segments: TimelineRow['segments']): string {
  const time = segments.reduce((sum, { from, to }) => sum + Math.max(0, (to ?? from) - from), 0);
  return time === 0 ? '' : formatDuration(time);
}
