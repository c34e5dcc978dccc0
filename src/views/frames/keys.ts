import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { measureText, wrapSpans } from './columns.js';

/** Defines the keys of the screens: their effect, the last line and the help all come from here (view.md, Keys). */

/** The effect of a key. */
export type KeyAction =
  | ('help' | 'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last' | 'open' | 'back' | 'find' | 'next' | 'failed')
  | ('answer' | 'hold' | 'page' | 'log' | 'plan' | 'diff' | 'report' | 'order' | 'all' | 'leave');

/** A screen on which keys have an effect. */
export type ScreenName = 'home' | 'run';

interface KeyRow {
  /** As shown in the last line and in the list of all keys. */
  shown: string;
  /** The word in the last line; absent for keys that the last line omits. */
  word?: string;
  /** The description in the list of all keys. */
  does: string;
  on: readonly ScreenName[];
  /** By key name: the character that the key types, else its name in node:readline. */
  acts: Readonly<Record<string, KeyAction>>;
}

const BOTH = ['home', 'run'] as const;

/** The keys in the order of the last line, which omits those at the end if it has too little room. */
const KEYS: readonly KeyRow[] = [
  { shown: '?', word: 'keys', does: 'all keys', on: BOTH, acts: { '?': 'help' } },
  { shown: 'q', word: 'leave', does: 'leave; Ctrl-C, too', on: BOTH, acts: { q: 'leave', 'ctrl-c': 'leave' } },
  { shown: 'a', word: 'answer', does: 'answer the gate', on: BOTH, acts: { a: 'answer' } },
  { shown: 'Enter', word: 'open', does: 'open the run', on: ['home'], acts: { return: 'open' } },
  { shown: 'Enter', word: 'details', does: 'details', on: ['run'], acts: { return: 'open' } },
  { shown: 'Esc', does: 'back', on: BOTH, acts: { escape: 'back' } },
  {
    ...{ shown: '↑↓', word: 'move', does: 'move; j and k, too', on: BOTH },
    acts: { up: 'up', k: 'up', down: 'down', j: 'down' },
  },
  {
    ...{ shown: 'PgUp PgDn g G', does: 'a page up or down; the first, the last', on: BOTH },
    acts: {
      ...{ pageup: 'pageUp', b: 'pageUp', pagedown: 'pageDown', space: 'pageDown' },
      ...{ home: 'first', g: 'first', end: 'last', G: 'last' },
    },
  },
  {
    shown: 'l',
    word: 'log',
    does: 'the log, followed while it grows: Ctrl-C, then q',
    on: ['run'],
    acts: { l: 'log' },
  },
  { shown: '/', word: 'find', does: 'find', on: BOTH, acts: { '/': 'find' } },
  { shown: 'n', does: 'find the next', on: BOTH, acts: { n: 'next' } },
  { shown: 'f', word: 'failed', does: 'failed only', on: BOTH, acts: { f: 'failed' } },
  { shown: 'h', word: 'hold', does: 'hold the run, or release it; asks', on: BOTH, acts: { h: 'hold' } },
  { shown: 'w', word: 'page', does: 'the page in the browser', on: BOTH, acts: { w: 'page' } },
  { shown: 'p', word: 'plan', does: 'the plan', on: BOTH, acts: { p: 'plan' } },
  { shown: 'd', word: 'diff', does: 'what its commit changed', on: ['run'], acts: { d: 'diff' } },
  { shown: 'r', word: 'report', does: 'the report', on: BOTH, acts: { r: 'report' } },
  { shown: 't', word: 'order', does: 'the order of the plan, or of attention', on: ['run'], acts: { t: 'order' } },
  { shown: 'e', word: 'ended', does: 'all that have ended', on: ['home'], acts: { e: 'all' } },
];

/** Returns the effect of a key on a screen; undefined if it has none. */
export function findKeyAction(key: string, on: ScreenName): KeyAction | undefined {
  return listKeys(on).find(({ acts }) => Object.hasOwn(acts, key))?.acts[key];
}

const listKeys = (on: ScreenName) => KEYS.filter((row) => row.on.includes(on));

/** Lays out the last line: as many keys as fit, each whole; `?` and `q` come first. */
export function renderKeyLine(on: ScreenName, columns: number): Line {
  const shown: { text: string; as?: 'strong' | 'quiet' }[] = [];
  let used = 0;
  for (const { shown: key, word } of listKeys(on)) {
    if (word === undefined) continue;
    const gap = used === 0 ? '' : '  ';
    const width = measureText(`${gap}${key} ${word}`);
    if (used + width > columns) break;
    shown.push({ text: `${gap}${key}`, as: 'strong' }, { text: ` ${word}`, as: 'quiet' });
    used += width;
  }
  return shown;
}

/** The width of the keys in the list of all keys. */
const KEY_COLUMNS = 15;

/** Lists all keys of a screen: one per line or, if the screen has too few lines, one after another. */
export function renderHelp(on: ScreenName, { columns, rows }: TerminalSize): Line[] {
  const keys = listKeys(on);
  const lines = keys.flatMap(({ shown, does }) =>
    wrapSpans([{ text: shown.padEnd(KEY_COLUMNS), as: 'strong' }, { text: does }], columns, KEY_COLUMNS),
  );
  if (lines.length < rows) return lines;
  const inTurn = keys.flatMap(
    ({ shown, word, does }): Line => [{ text: shown, as: 'strong' }, { text: ` ${word ?? does}  ` }],
  );
  return wrapSpans(inTurn, columns, 0);
}
