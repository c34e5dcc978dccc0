import type { CommandFormatter } from '../../base/invocation.js';
import type { Screen } from '../../base/screen.js';
import { describeSources, waitForChange } from '../../protocol/questions/home.js';
import { FIRST, findSelectedIndex, pressKey } from '../../views/frames/cursor.js';
import { listHomeRows, renderHomeFrame } from '../../views/frames/home-screen.js';
import { countPage } from '../../views/frames/shell.js';
import type { HomeView } from '../../views/home.js';
import { createReadContext } from '../context.js';
import type { CallEnvironment } from '../environment.js';
import { readHomeAndGoals } from '../home.js';
import { findText } from './documents.js';

/**
 * Opens home as a screen (view.md, Home).
 * @param format returns the formatter of commands for a root; undefined stands for the root of the call
 * @throws DevCliError whatever reading the root throws
 */
export async function openHome(
  environment: CallEnvironment,
  format: (root: string | undefined) => CommandFormatter,
): Promise<Screen> {
  const context = createReadContext(environment);
  const { clock } = context;
  let cursor = FIRST;
  let notice: string | null = null;
  let sources = describeSources(context);
  let now = clock.now();
  let home: HomeView = await readHomeAndGoals(environment, Number.POSITIVE_INFINITY);
  const rows = () => listHomeRows(home, cursor);
  const chosen = () => rows()[findSelectedIndex(cursor, rows())]?.row;
  const isBusy = () => home.groups.some((group) => group.rows.some(({ sign }) => sign === 'running'));
  const listWaiting = () =>
    new Set(
      home.groups.flatMap((group) =>
        group.rows.flatMap(({ sign, name, root = '' }) => (sign === 'waiting' ? `${root}\n${name}` : [])),
      ),
    );
  return {
    async read() {
      const before = listWaiting();
      sources = describeSources(context);
      home = await readHomeAndGoals(environment, Number.POSITIVE_INFINITY);
      now = clock.now();
      const news = [...listWaiting()].filter((one) => !before.has(one));
      return news.map((one) => `${one.split('\n')[1]} waits for you`);
    },
    changed: (signal) => waitForChange(context, sources, { isBusy: isBusy() || home.goals !== undefined, signal }),
    isBusy,
    frame(size) {
      if (isBusy()) now = clock.now();
      return renderHomeFrame(home, size, cursor, { now, notice, format });
    },
    press(key, size) {
      now = clock.now();
      const isHeld = chosen()?.sign === 'held' ? true : isLive(chosen()?.sign) ? false : null;
      const { wish, ...pressed } = pressKey(cursor, key, { on: 'home', rows: rows(), page: countPage(size), isHeld });
      ({ cursor, notice } = pressed);
      return wish;
    },
    tell(line) {
      notice = line;
    },
    place() {
      const row = chosen();
      return row === undefined ? null : { name: row.name, ...(row.root === undefined ? {} : { root: row.root }) };
    },
    async find(document) {
      const row = chosen();
      if (row === undefined) return { none: 'There is no run here.' };
      const there = row.root === undefined ? context : createReadContext({ ...environment, root: row.root });
      return findText(there, row.name, document);
    },
    close() {},
  };
}

const isLive = (sign: string | undefined) => sign === 'running' || sign === 'waiting';
