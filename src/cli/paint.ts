import type { Line, Shade } from '../base/spans.js';
import { toPlainText } from './plain.js';

/** Uses only the sixteen basic colours, whose shades the person can choose in the terminal, and no backgrounds. */
const CODES: Readonly<Record<Shade, string>> = {
  good: '32',
  bad: '31',
  you: '1;33',
  busy: '36',
  quiet: '2',
  strong: '1',
};

/**
 * Returns whether to colour output at a person's terminal; no other output is ever coloured. As in other programs,
 * FORCE_COLOR outranks NO_COLOR, and an empty variable counts as unset.
 * @param env the environment of a call whose standard output is a person's terminal
 */
export function showsColour(env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return (env['NO_COLOR'] ?? '') === '' && (env['TERM'] ?? 'dumb') !== 'dumb';
}

/**
 * Paints lines. Must be the last step of output: it removes control sequences from the texts before it adds colours.
 */
export function paint(lines: readonly Line[], isColoured: boolean): string {
  return lines.map((line) => `${paintLine(line, isColoured)}\n`).join('');
}

/** Paints one line. If a span gives its column, moves the cursor there and clears the rest of the line. */
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
 * Returns the output for the lines of a screen that have changed; empty if none has. Otherwise the last line is always
 * included, so that the cursor ends there, where the person types.
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
