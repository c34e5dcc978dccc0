import { stripInvisible } from '../base/visible.js';
import { maskSecrets, toBoundedLine } from './foreign.js';
import { formatCommandLine } from './plan-text.js';

/**
 * Renders a command, or the end of its output, for a list or a sentence (protocol.md §4). In a file of its own, because
 * few calls of dev-cli need it, while foreign.ts is loaded by nearly all.
 */

/**
 * Names a command in a list or a sentence: one line of at most `cap` characters, in which the line breaks of an inline
 * script become spaces. For readers who must know exactly what runs, use `toCommandLine` instead.
 */
export function toCommandName(argv: readonly string[], cap: number): string {
  const [first = '', ...rest] = argv.map((word) => word.replace(/\s+/g, ' ').trim());
  // A single word is a command line for a shell, so its spaces need no quotes.
  return toBoundedLine(rest.length === 0 ? first : formatCommandLine([first, ...rest]), cap);
}

/** How many lines of a command's output are quoted, and how many characters of each. */
const LAST_LINES = 2;
const LAST_LINE_CAP = 90;

/**
 * Quotes the last non-blank lines of a command's output, for the line that says how the command ended; empty if the
 * output has none.
 */
export function quoteLastLines(output: string): string {
  return listLastLines(output, LAST_LINES)
    .map((line) => `"${toBoundedLine(line, LAST_LINE_CAP)}"`)
    .join(' ');
}

/**
 * Lists the last non-blank lines of an output, without control characters and with secrets masked. Leaves out the
 * notices that npm appends to the output of a script, unless there is nothing else.
 */
export function listLastLines(output: string, most: number): string[] {
  const lines = maskSecrets(stripInvisible(output))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const ofScript = lines.filter((line) => !NPM_NOTICE.test(line));
  return (ofScript.length > 0 ? ofScript : lines).slice(-most);
}

const NPM_NOTICE = /^npm notice\b/;
