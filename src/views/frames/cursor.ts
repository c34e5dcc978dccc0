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
  /** It is asked whether the run shall be held: only `y` does it. */
  asksHold: boolean;
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
  asksHold: false,
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
  /** What a person is told who sees no change. */
  notice: string | null;
}

/** Finds the row that the cursor is on, in the order shown: the first one where it is on none. */
export function findPlace(cursor: Pick<Cursor, 'at'>, rows: readonly { id: string }[]): number {
  return Math.max(
    0,
    rows.findIndex(({ id }) => id === cursor.at),
  );
}

const change = (cursor: Cursor, changed: Partial<Cursor>, more: Partial<Pressed> = {}): Pressed => ({
  ...{ cursor: { ...cursor, ...changed }, wish: null, notice: null },
  ...more,
});

/** Carries out a key; one that means nothing changes nothing. */
export function pressKey(cursor: Cursor, key: string, shown: Shown): Pressed {
  const act = findAct(key, shown.on);
  if (key === 'ctrl-c') return change(cursor, {}, { wish: { do: 'leave' } });
  if (cursor.isTyping) return typeText(cursor, key, shown);
  if (cursor.asksHold)
    return change(cursor, { asksHold: false }, { wish: key.toLowerCase() === 'y' ? { do: 'hold' } : null });
  if (cursor.showsKeys) return change(cursor, { showsKeys: false }, { wish: act === 'leave' ? { do: act } : null });
  return act === undefined ? change(cursor, {}) : carryOut(cursor, act, shown);
}

function carryOut(cursor: Cursor, act: Act, shown: Shown): Pressed {
  const only = (changed: Partial<Cursor>) => change(cursor, changed);
  const wish = (wanted: Wish) => change(cursor, {}, { wish: wanted });
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
      return find(cursor, cursor.find, rows, 1);
    case 'failed':
      return only({ onlyFailed: !cursor.onlyFailed });
    case 'order':
      return only({ inOrder: !cursor.inOrder });
    case 'all':
      return only({ allEnded: !cursor.allEnded });
    case 'hold':
      if (isHeld === null) return change(cursor, {}, { notice: 'Only a run that goes on can be held.' });
      // Who releases a run types yes: to ask here as well would be to ask twice.
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

function typeText(cursor: Cursor, key: string, { rows }: Shown): Pressed {
  if (key === 'return') return change(cursor, { isTyping: false });
  if (key === 'escape') return change(cursor, { isTyping: false, find: '' });
  const sign = key === 'space' ? ' ' : [...key].length === 1 ? key : '';
  return find(cursor, key === 'backspace' ? cursor.find.slice(0, -1) : `${cursor.find}${sign}`, rows, 0);
}

/** Goes to the next row with a text, from the cursor's or the one behind it; stays where there is none. */
function find(cursor: Cursor, text: string, rows: Shown['rows'], from: 0 | 1): Pressed {
  const here = findPlace(cursor, rows) + from;
  const wanted = text.toLowerCase();
  const inTurn = [...rows.slice(here), ...rows.slice(0, here)];
  const found = wanted === '' ? undefined : inTurn.find((row) => row.text.toLowerCase().includes(wanted));
  const notice = wanted !== '' && found === undefined ? `No row has "${text}".` : null;
  return change(cursor, { find: text, at: found?.id ?? cursor.at }, { notice });
}
