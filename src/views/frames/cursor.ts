import type { ScreenRequest } from '../../base/screen.js';
import { findKeyAction, type KeyAction, type ScreenName } from './keys.js';

/** What a person has selected on a screen. The model and the size determine everything else in a frame. */
export interface ScreenCursor {
  /** The id of the selected row; null before the first move, which means the first row shown. */
  at: string | null;
  /** Whether rows are in the order of the plan, rather than sorted by what needs attention. */
  inOrder: boolean;
  /** Whether only failed rows are shown. */
  onlyFailed: boolean;
  /** Whether all ended runs are shown. */
  allEnded: boolean;
  showsDetails: boolean;
  showsKeys: boolean;
  /** The text to find. While `isTyping`, keys are entered as text. */
  find: string;
  isTyping: boolean;
  /** Whether the screen asks if the run is to be held: only `y` confirms. */
  asksHold: boolean;
}

export const FIRST: ScreenCursor = {
  at: null,
  inOrder: false,
  onlyFailed: false,
  allEnded: false,
  showsDetails: false,
  showsKeys: false,
  find: '',
  isTyping: false,
  asksHold: false,
};

/** The rows that the cursor moves over, in the order shown. */
interface Shown {
  on: ScreenName;
  /** The rows, each with the text in which a search looks. */
  rows: readonly { id: string; text: string }[];
  /** How many rows a page has. */
  page: number;
  /** Whether the run of the selected row is held; null if it can be neither held nor released. */
  isHeld: boolean | null;
}

/** What pressing a key changes. */
interface Pressed {
  cursor: ScreenCursor;
  wish: ScreenRequest | null;
  /** A message for a person who would otherwise see no change. */
  notice: string | null;
}

/** Returns the index of the selected row among the rows shown; 0 if none is selected. */
export function findSelectedIndex(cursor: Pick<ScreenCursor, 'at'>, rows: readonly { id: string }[]): number {
  return Math.max(
    0,
    rows.findIndex(({ id }) => id === cursor.at),
  );
}

const change = (cursor: ScreenCursor, changed: Partial<ScreenCursor>, more: Partial<Pressed> = {}): Pressed => ({
  ...{ cursor: { ...cursor, ...changed }, wish: null, notice: null },
  ...more,
});

/** Applies a key. A key without a meaning changes nothing. */
export function pressKey(cursor: ScreenCursor, key: string, shown: Shown): Pressed {
  const act = findKeyAction(key, shown.on);
  if (key === 'ctrl-c') return change(cursor, {}, { wish: { do: 'leave' } });
  if (cursor.isTyping) return typeText(cursor, key, shown);
  if (cursor.asksHold)
    return change(cursor, { asksHold: false }, { wish: key.toLowerCase() === 'y' ? { do: 'hold' } : null });
  if (cursor.showsKeys) return change(cursor, { showsKeys: false }, { wish: act === 'leave' ? { do: act } : null });
  return act === undefined ? change(cursor, {}) : carryOut(cursor, act, shown);
}

function carryOut(cursor: ScreenCursor, act: KeyAction, shown: Shown): Pressed {
  const only = (changed: Partial<ScreenCursor>) => change(cursor, changed);
  const wish = (wanted: ScreenRequest) => change(cursor, {}, { wish: wanted });
  const { rows, page, on, isHeld } = shown;
  const move = (by: number) => {
    const to = Math.min(rows.length - 1, Math.max(0, findSelectedIndex(cursor, rows) + by));
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
      return find(cursor, cursor.find, rows, 1);
    case 'failed':
      return only({ onlyFailed: !cursor.onlyFailed });
    case 'order':
      return only({ inOrder: !cursor.inOrder });
    case 'all':
      return only({ allEnded: !cursor.allEnded });
    case 'hold':
      if (isHeld === null) return change(cursor, {}, { notice: 'Only a live run can be held.' });
      // `release` itself makes the person type yes, so a question here would be the second one.
      return isHeld ? wish({ do: 'release' }) : only({ asksHold: true });
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

function typeText(cursor: ScreenCursor, key: string, { rows }: Shown): Pressed {
  if (key === 'return') return change(cursor, { isTyping: false });
  if (key === 'escape') return change(cursor, { isTyping: false, find: '' });
  const sign = key === 'space' ? ' ' : [...key].length === 1 ? key : '';
  return find(cursor, key === 'backspace' ? cursor.find.slice(0, -1) : `${cursor.find}${sign}`, rows, 0);
}

/** Moves to the next row that contains the text, starting at or after the cursor; stays if there is none. */
function find(cursor: ScreenCursor, text: string, rows: Shown['rows'], from: 0 | 1): Pressed {
  const here = findSelectedIndex(cursor, rows) + from;
  const wanted = text.toLowerCase();
  const inTurn = [...rows.slice(here), ...rows.slice(0, here)];
  const found = wanted === '' ? undefined : inTurn.find((row) => row.text.toLowerCase().includes(wanted));
  const notice = wanted !== '' && found === undefined ? `No row has "${text}".` : null;
  return change(cursor, { find: text, at: found?.id ?? cursor.at }, { notice });
}
