import { replaceInvisible } from '../base/visible.js';

/** Shows texts of a plan to whoever decides on it: nothing in them is hidden. */

/** What needs no quotes: nothing in it has a meaning to a shell. */
const BARE = /^[\w@%+=:,./-]+$/;
/** To a shell, the value of a variable; here nobody would set it. */
export const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** Renders an argument vector so that a person sees where each argument ends; where necessary it is quoted as JSON.
 * Its counterpart is `parseCommandLine` (plan/model/command-line.ts). */
export function formatCommandLine(argv: readonly string[]): string {
  const isBare = (argument: string, at: number) => BARE.test(argument) && (at > 0 || !ASSIGNMENT.test(argument));
  return argv.map((argument, at) => (isBare(argument, at) ? argument : JSON.stringify(argument))).join(' ');
}

/** Renders a command line for the person who decides on it: uncut, invisible characters shown by their codes. */
export function formatPlainCommandLine(argv: readonly string[]): string {
  return revealInvisible(formatCommandLine(argv));
}

/** Shows invisible characters by their codes, because a plan is approved by its looks. Joiners that join stay. */
export function revealInvisible(text: string): string {
  return replaceInvisible(text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, renderCodePoint), renderCodePoint);
}

/** Writes a character by its code: `\u{200b}`. */
export function renderCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Splits a text of a plan, or several, into lines without the marks of a list. */
export function splitList(text: string | readonly string[] | undefined): string[] {
  const lines = [text ?? []].flat().flatMap((entry) => entry.split(/\r\n?|[\n\u2028\u2029\u0085]/));
  return lines.map((line) => line.replace(/^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+/, ''));
}

/** Escaped backticks, code in backticks as CommonMark finds it, white space. */
const PIECES = /\\`|(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)|\s+/g;

/** Characters from which on no text of a plan is that long: code that nothing closes is searched to the end. */
const LONGEST = 50_000;

/**
 * Makes one line of a text: white space becomes one blank, except in code in backticks, where only the ends of lines do.
 * A text with an escaped backtick outside of code has none, as PLAN.md shows it.
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

/** Makes one line of a text: white space becomes one blank, wherever it stands. */
function foldBlanks(text: string): string {
  return text.replace(/\s+/g, ' ');
}
