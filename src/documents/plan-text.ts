import { replaceInvisible } from '../base/visible.js';

/** Renders the texts of a plan for the person who approves it, so that nothing in them stays hidden. */

/** Matches arguments that need no quotes, because no character in them is special to a shell. */
const BARE = /^[\w@%+=:,./-]+$/;
/**
 * Matches an argument such as `NAME=value`. A shell would set that variable; a program started without a shell just
 * gets the text as an argument.
 */
export const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/**
 * Renders an argument vector so that a person sees where each argument ends. Arguments are quoted as JSON if necessary.
 * `parseCommandLine` (plan/model/command-line.ts) does the reverse.
 */
export function formatCommandLine(argv: readonly string[]): string {
  const isBare = (argument: string, at: number) => BARE.test(argument) && (at > 0 || !ASSIGNMENT.test(argument));
  return argv.map((argument, at) => (isBare(argument, at) ? argument : JSON.stringify(argument))).join(' ');
}

/** Renders a command line for the person who decides on it: uncut, invisible characters shown by their codes. */
export function formatPlainCommandLine(argv: readonly string[]): string {
  return revealInvisible(formatCommandLine(argv));
}

/**
 * Replaces invisible characters with their codes, because a person approves a plan by what it looks like. Joiners that
 * really join characters stay.
 */
export function revealInvisible(text: string): string {
  return replaceInvisible(text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, renderCodePoint), renderCodePoint);
}

/** Renders a character by its code: `\u{200b}`. */
export function renderCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Splits one or several texts of a plan into lines, without list marks. */
export function splitList(text: string | readonly string[] | undefined): string[] {
  const lines = [text ?? []].flat().flatMap((entry) => entry.split(/\r\n?|[\n\u2028\u2029\u0085]/));
  return lines.map((line) => line.replace(/^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+/, ''));
}

/** Matches escaped backticks, code in backticks as in CommonMark, and white space. */
const PIECES = /\\`|(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)|\s+/g;

/**
 * In a text of this many characters or more, backticks are not taken for code. No text of a plan is that long, and the
 * search for the end of an unclosed piece of code would run to the end of the text each time.
 */
const LONGEST = 50_000;

/**
 * Turns a text into one line by replacing each run of white space with one space. In code in backticks, only white
 * space with a line break is replaced. A text with an escaped backtick outside of code counts as having no code, as in
 * PLAN.md.
 */
export function toOneLine(text: string): string {
  let hasCode = text.length < LONGEST && text.includes('`');
  const line =
    hasCode &&
    text.replace(PIECES, (piece: string, ticks?: string) => {
      if (ticks !== undefined)
        return piece.replace(/\s+/g, (blanks) => (/[\r\n\u2028\u2029]/.test(blanks) ? ' ' : blanks));
      hasCode &&= piece !== '\\`';
      return ' ';
    });
  return (line && hasCode ? line : foldBlanks(text)).trim();
}

/** Replaces each run of white space with one space, even in code. */
function foldBlanks(text: string): string {
  return text.replace(/\s+/g, ' ');
}
