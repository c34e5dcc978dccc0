import { formatDuration } from '../../base/duration.js';
import type { CommandFormatter } from '../../base/invocation.js';
import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { ENDED, type HomeGroup, type HomeRow, type HomeView } from '../home.js';
import { SIGNS } from '../signs.js';
import { findSelectedIndex, type ScreenCursor } from './cursor.js';
import { layOutHomeRow, measureNames, renderNothing, renderTitle } from './home.js';
import { type FrameContext, fitFrame, isTinyScreen, renderBottom, renderKeys } from './shell.js';

/** A row of the home screen. */
export interface ShownRow {
  id: string;
  /** The text to search in. */
  text: string;
  row: HomeRow;
}

interface ShownGroup {
  title: string;
  rows: ShownRow[];
  more: number;
}

/** Lists the groups with the rows that the cursor's filters select. */
function listGroups({ groups }: HomeView, { allEnded, onlyFailed }: ScreenCursor): ShownGroup[] {
  return groups.flatMap(({ title, rows }: HomeGroup) => {
    const wanted = onlyFailed ? rows.filter(({ sign }) => sign === 'failed') : rows;
    const shown = title === 'Ended' && !allEnded ? wanted.slice(0, ENDED) : wanted;
    return shown.length === 0 ? [] : [{ title, rows: shown.map(toShown), more: wanted.length - shown.length }];
  });
}

function toShown(row: HomeRow): ShownRow {
  return { id: `${row.root ?? ''}\n${row.name}`, text: `${row.name} ${row.text}`, row };
}

/** Lists the rows in the order shown. */
export function listHomeRows(home: HomeView, cursor: ScreenCursor): ShownRow[] {
  return listGroups(home, cursor).flatMap(({ rows }) => rows);
}

/**
 * Lays out home as a screen: exactly as many lines as the screen has, none wider than it (view.md, Home).
 * @param home the content of home, including all ended runs
 * @param format returns a function that writes commands for the given root
 */
export function renderHomeFrame(
  home: HomeView,
  size: TerminalSize,
  cursor: ScreenCursor,
  { now, notice, format }: FrameContext & { format: (root: string | undefined) => CommandFormatter },
): Line[] {
  const { columns, rows } = size;
  if (cursor.showsKeys) return renderKeys('home', size);
  if (isTinyScreen(size)) return fitFrame(renderTiny(home, now), [], size);
  const head = renderTitle(home, columns).slice(0, 2);
  const bottom = renderBottom('home', cursor, { now, notice }, columns);
  const room = Math.max(1, rows - head.length - bottom.length);
  const groups = listGroups(home, cursor);
  const shown = groups.flatMap((group) => group.rows);
  const chosen = shown[findSelectedIndex(cursor, shown)]?.id;
  const options = { now, columns: columns - 2, format };
  const body: Line[] = [];
  let at = 0;
  for (const { title, rows: own, more } of groups) {
    body.push([], [{ text: title, as: 'strong' }]);
    const names = measureNames(
      own.map(({ row }) => row),
      columns - 2,
    );
    for (const { id, row } of own) {
      if (id === chosen) at = body.length;
      const lines = layOutHomeRow(row, names, options, columns - 2);
      body.push(
        ...lines.map((line, index): Line => {
          const mark = id === chosen && index === 0 ? '› ' : '  ';
          return [{ text: mark, as: 'strong' }, ...line];
        }),
      );
    }
    if (more > 0) body.push([{ text: `    and ${more} more: e`, as: 'quiet' }]);
  }
  if (groups.length === 0) body.push(...(home.groups.length === 0 ? renderNothing(options, columns) : NONE));
  const top = Math.max(0, Math.min(at - Math.floor(room / 2), body.length - room));
  return fitFrame([...head, ...body.slice(top)], bottom, size);
}

const NONE: Line[] = [[], [{ text: '  nothing has failed', as: 'quiet' }]];

/** Renders only the waiting runs, for a screen without room for more. */
function renderTiny({ groups }: HomeView, now: number): Line[] {
  const waiting = groups.flatMap(({ rows }) => rows.filter(({ sign }) => sign === 'waiting'));
  if (waiting.length === 0) return [[{ text: 'nothing waits for you' }]];
  return waiting.map(({ name, since }) => [
    { text: SIGNS.waiting.sign, as: 'you' },
    { text: ` ${name}`, as: 'strong' },
    ...(since === undefined ? [] : [{ text: `  ${formatDuration(now - since)}` }]),
  ]);
}
