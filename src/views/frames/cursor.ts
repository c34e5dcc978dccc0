import type { Wish } from '../../base/screen.js';
import { type Act, findAct, type ScreenName } from './keys.js';

/** What the person has chosen on a screen; everything else of a frame follows from the model and the size. */
export interface Cursor {
  /** The row that it is on, by its id; null before it was moved: the first one shown. */
  at: string | null;
  /** In the order of the plan, instead of by what wants attention. */
  inOrder: boolean;
  /** Only what has failed. */
  onlyFailed: boolean;
  /** All runs that have ended. */
  allEnded: boolean;
  showsDetails: boolean;
  showsKeys: boolean;
  /** What is looked for; as long as it is typed, keys are text. */
  find: string;
  isTyping: boolean;
  /** What is asked: only `y` does it. */
  asks: 'hold' | 'release' | null;
}

export const FIRST: Cursor = {
  at: null,
  inOrder: false,
  onlyFailed: false,
  allEnded: false,
  showsDetails: false,
  showsKeys: false,
  find: '',
  isTyping: false,
  asks: null,
};

/** The rows that a cursor moves over, as they are shown. */
interface Shown {
  on: ScreenName;
  /** Each with the text that is searched. */
  rows: readonly { id: string; text: string }[];
  /** Rows that a page has. */
  page: number;
  /** Whether the run of the row is held; null where it can be neither held nor released. */
  isHeld: boolean | null;
}

/** What a key changes. */
interface Pressed {
  cursor: Cursor;
  wish: Wish | null;
}

/** Finds the row that the cursor is on, in the order shown: the first one where it is on none. */
export function findPlace(cursor: Pick<Cursor, 'at'>, rows: readonly { id: string }[]): number {
  return Math.max(
    0,
    rows.findIndex(({ id }) => id === cursor.at),
  );
}

/** Carries out a key; one that means nothing changes nothing. */
export function pressKey(cursor: Cursor, key: string, shown: Shown): Pressed {
  const only = (change: Partial<Cursor>): Pressed => ({ cursor: { ...cursor, ...change }, wish: null });
  if (key === 'ctrl-c') return { cursor, wish: { do: 'leave' } };
  if (cursor.isTyping) return only(typeText(cursor, key, shown));
  if (cursor.asks !== null)
    return { cursor: { ...cursor, asks: null }, wish: key === 'y' || key === 'Y' ? { do: cursor.asks } : null };
  const act = findAct(key, shown.on);
  if (cursor.showsKeys) return act === 'leave' ? { cursor, wish: { do: 'leave' } } : only({ showsKeys: false });
  return act === undefined ? only({}) : carryOut(cursor, act, shown);
}

function carryOut(cursor: Cursor, act: Act, shown: Shown): Pressed {
  const only = (change: Partial<Cursor>): Pressed => ({ cursor: { ...cursor, ...change }, wish: null });
  const wish = (wanted: Wish): Pressed => ({ cursor, wish: wanted });
  const { rows, page, on, isHeld } = shown;
  const move = (by: number) => {
    const to = Math.min(rows.length - 1, Math.max(0, findPlace(cursor, rows) + by));
    return only({ at: rows[to]?.id ?? null });
  };
  switch (act) {
    case 'help':
      return only({ showsKeys: true });
    case 'up':
      return move(-1);
    case 'down':
      return move(1);
    case 'pageUp':
      return move(-page);
    case 'pageDown':
      return move(page);
    case 'first':
      return move(-rows.length);
    case 'last':
      return move(rows.length);
    case 'open':
      return on === 'home' ? wish({ do: 'open' }) : only({ showsDetails: !cursor.showsDetails });
    case 'back':
      if (cursor.showsDetails || cursor.find !== '' || cursor.onlyFailed)
        return only({ showsDetails: false, find: '', onlyFailed: false });
      return wish({ do: 'back' });
    case 'find':
      return only({ isTyping: true, find: '' });
    case 'next':
      return only({ at: findNext(cursor, cursor.find, rows, 1) });
    case 'failed':
      return only({ onlyFailed: !cursor.onlyFailed });
    case 'order':
      return only({ inOrder: !cursor.inOrder });
    case 'all':
      return only({ allEnded: !cursor.allEnded });
    case 'hold':
      return isHeld === null ? only({}) : only({ asks: isHeld ? 'release' : 'hold' });
    case 'answer':
    case 'page':
    case 'leave':
      return wish({ do: act });
    case 'log':
    case 'plan':
    case 'diff':
    case 'report':
      return wish({ do: 'show', document: act });
  }
}

function typeText(cursor: Cursor, key: string, { rows }: Shown): Partial<Cursor> {
  if (key === 'return') return { isTyping: false };
  if (key === 'escape') return { isTyping: false, find: '' };
  const sign = key === 'space' ? ' ' : [...key].length === 1 ? key : '';
  const find = key === 'backspace' ? cursor.find.slice(0, -1) : `${cursor.find}${sign}`;
  return { find, at: findNext(cursor, find, rows, 0) };
}

/** The next row with the text, from the cursor's or the one behind it; the cursor's own where there is none. */
function findNext(cursor: Cursor, find: string, rows: Shown['rows'], from: 0 | 1): string | null {
  const here = findPlace(cursor, rows) + from;
  const wanted = find.toLowerCase();
  const inTurn = [...rows.slice(here), ...rows.slice(0, here)];
  const found = wanted === '' ? undefined : inTurn.find(({ text }) => text.toLowerCase().includes(wanted));
  return found?.id ?? cursor.at;
}
