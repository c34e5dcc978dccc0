import { stripInvisible } from '../base/visible.js';
import { maskSecrets, toBoundedLine } from './foreign.js';
import { formatCommandLine } from './plan-text.js';

/**
 * A command, or the end of its output, in a list or a sentence (protocol.md §4). Kept apart from foreign.ts because few
 * calls need it.
 */

/**
 * Names a command in a list or a sentence: one line of at most `cap` characters, in which an inline script is folded. A
 * reader who must know everything that runs gets `toCommandLine` instead.
 */
export function toCommandName(argv: readonly string[], cap: number): string {
  const [first = '', ...rest] = argv.map((word) => word.replace(/\s+/g, ' ').trim());
  // A command line for a shell is one word, whose blanks need no quotes.
  return toBoundedLine(rest.length === 0 ? first : formatCommandLine([first, ...rest]), cap);
}

/** How many lines of a command's output are quoted, and the most characters of each. */
const LAST_LINES = 2;
const LAST_LINE_CAP = 90;

/**
 * Quotes the last non-blank lines of a command's output, for the line that says how it ended; empty if there are none.
 */
export function quoteLastLines(output: string): string {
  return listLastLines(output, LAST_LINES)
    .map((line) => `"${toBoundedLine(line, LAST_LINE_CAP)}"`)
    .join(' ');
}

/** Lists the last non-blank lines of an output, cleaned, secrets masked. */
export function listLastLines(output: string, most: number): string[] {
  const lines = maskSecrets(stripInvisible(output)).split('\n');
  return lines.filter((line) => line.trim() !== '').slice(-most);
}
