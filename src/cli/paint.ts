import type { Line, Shade } from '../base/spans.js';
import { toPlainText } from './plain.js';

/** Of the sixteen colours, which are the person's own; no backgrounds. */
const CODES: Readonly<Record<Shade, string>> = {
  good: '32',
  bad: '31',
  you: '1;33',
  busy: '36',
  quiet: '2',
  strong: '1',
};

/**
 * Whether a person's terminal is to show colours. As in other programs FORCE_COLOR counts more than NO_COLOR, and an empty
 * variable is none.
 * @param env of a call whose standard output is a person's terminal: nothing else is ever coloured
 */
export function showsColour(env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return (env['NO_COLOR'] ?? '') === '' && (env['TERM'] ?? 'dumb') !== 'dumb';
}

/** Paints lines, last of all: by now each text has lost what a terminal would act on. */
export function paint(lines: readonly Line[], isColoured: boolean): string {
  return lines.map((line) => `${paintLine(line, isColoured)}\n`).join('');
}

/** Paints one line; where a span says its column, the terminal goes there and clears what follows. */
export function paintLine(line: Line, isColoured: boolean): string {
  return line
    .map(({ text, as, at }) => {
      const plain = toPlainText(text);
      const there = at === undefined ? '' : `\u001b[${at + 1}G\u001b[K`;
      const isPlain = as === undefined || !isColoured || plain.trim() === '';
      return `${there}${isPlain ? plain : `\u001b[${CODES[as]}m${plain}\u001b[0m`}`;
    })
    .join('');
}

/**
 * Writes those lines of a screen that differ from what it shows; empty where none does. The last one is always among them: what is
 * typed stands there.
 */
export function paintChanges(lines: readonly string[], shown: readonly string[]): string {
  const isSame = (line: string, index: number) => line === shown[index];
  if (lines.every(isSame)) return '';
  return lines
    .map((line, index) =>
      isSame(line, index) && index < lines.length - 1 ? '' : `\u001b[${index + 1};1H\u001b[2K${line}`,
    )
    .join('');
}
