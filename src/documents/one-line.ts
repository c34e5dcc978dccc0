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
