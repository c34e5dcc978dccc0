import { formatDuration } from '../../base/duration.js';
import type { CommandFormatter } from '../../base/invocation.js';
import type { Size } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { ENDED, type Home, type HomeGroup, type HomeRow } from '../home.js';
import { SIGNS } from '../signs.js';
import { type Cursor, findPlace } from './cursor.js';
import { measureNames, renderNothing, renderRow, renderTitle } from './home.js';
import { closeFrame, isTiny, renderBottom, renderKeys, type Told } from './shell.js';

/** A row of home on its screen. */
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
function listGroups({ groups }: Home, { allEnded, onlyFailed }: Cursor): ShownGroup[] {
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
export function listHomeRows(home: Home, cursor: Cursor): ShownRow[] {
  return listGroups(home, cursor).flatMap(({ rows }) => rows);
}

/**
 * Lays out home as a screen: exactly as many lines as the screen has, none wider than it (view.md, Home).
 * @param home with all ended runs
 * @param format writes commands for a root
 */
export function renderHomeFrame(
  home: Home,
  size: Size,
  cursor: Cursor,
  { now, notice, format }: Told & { format: (root: string | undefined) => CommandFormatter },
): Line[] {
  const { columns, rows } = size;
  if (cursor.showsKeys) return renderKeys('home', size);
  if (isTiny(size)) return closeFrame(renderTiny(home, now), [], size);
  const head = renderTitle(home, columns).slice(0, 2);
  const bottom = renderBottom('home', cursor, { now, notice }, columns);
  const room = Math.max(1, rows - head.length - bottom.length);
  const groups = listGroups(home, cursor);
  const shown = groups.flatMap((group) => group.rows);
  const chosen = shown[findPlace(cursor, shown)]?.id;
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
      const lines = renderRow(row, names, options, columns - 2);
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
  return closeFrame([...head, ...body.slice(top)], bottom, size);
}

const NONE: Line[] = [[], [{ text: '  nothing has failed', as: 'quiet' }]];

/** Renders only the waiting runs, for a screen without room for more. */
function renderTiny({ groups }: Home, now: number): Line[] {
  const waiting = groups.flatMap(({ rows }) => rows.filter(({ sign }) => sign === 'waiting'));
  if (waiting.length === 0) return [[{ text: 'nothing waits for you' }]];
  return waiting.map(({ name, since }) => [
    { text: SIGNS.waiting.sign, as: 'you' },
    { text: ` ${name}`, as: 'strong' },
    ...(since === undefined ? [] : [{ text: `  ${formatDuration(now - since)}` }]),
  ]);
}
