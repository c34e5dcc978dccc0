import { stripInvisible } from '../base/visible.js';
import { maskSecrets, toBoundedLine } from './foreign.js';
import { formatCommandLine } from './plan-text.js';

/** A command, and what it printed last, in a list or a sentence (protocol.md §4). Apart from foreign.ts: few calls need it. */

/**
 * Names a command in a list or a sentence: one line of at most `cap` characters, in which an inline script is folded.
 * Who is to know all that runs gets `toCommandLine`.
 */
export function toCommandName(argv: readonly string[], cap: number): string {
  const [first = '', ...rest] = argv.map((word) => word.replace(/\s+/g, ' ').trim());
  // A line for a shell is one word, whose blanks need no quotes.
  return toBoundedLine(rest.length === 0 ? first : formatCommandLine([first, ...rest]), cap);
}

/** Lines that tell what a command printed last, and the longest of them, in characters. */
const LAST_LINES = 2;
const LAST_LINE_CAP = 90;

/** Quotes the last lines of a command's output that are not blank, for the line that says how it ended; empty without any. */
export function quoteLastLines(output: string): string {
  return listLastLines(output, LAST_LINES)
    .map((line) => `"${toBoundedLine(line, LAST_LINE_CAP)}"`)
    .join(' ');
}

/** Lists the last lines of an output that are not blank, cleaned, secrets masked. */
export function listLastLines(output: string, most: number): string[] {
  const lines = maskSecrets(stripInvisible(output)).split('\n');
  return lines.filter((line) => line.trim() !== '').slice(-most);
}
