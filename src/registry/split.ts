import { DevCliError } from '../base/errors.js';

/**
 * Splits a command line into words as a POSIX shell does, supporting only spaces, tabs, quotes and backslashes
 * (recipes.md §2). A `{placeholder}` is ordinary text.
 * @throws DevCliError `USAGE` for any other shell syntax, naming the character and its column
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(line);
    if (!piece || (word === undefined && /^[~#]/.test(piece[0]))) throw shellSyntaxError(line, at);
    const [whole, blank, single, double, escaped, plain] = piece;
    if (blank === undefined) {
      word = (word ?? '') + (single ?? double?.replace(QUOTED_ESCAPE, '$1') ?? escaped ?? plain);
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    at += whole.length;
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Matches one piece of a line: spaces and tabs (or line breaks at the end, which YAML leaves), '…', "…", a backslash
 * with the next character, or plain text. Plain text includes `~` and `#`, which are special only at the beginning of a
 * word.
 */
const PIECE = /([ \t]+|\s+$)|'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([^\n])|([^ \t\r\n'"\\|&;<>()$`*?[]+)/y;
/** In double quotes, a backslash escapes only these characters, or joins two lines. */
const QUOTED_ESCAPE = /\\(?:([$`"\\])|\n)/g;

function shellSyntaxError(line: string, start: number): DevCliError {
  const inQuotes = line[start] === '"' ? /^"(?:[^"\\$`]|\\[\s\S])*(?=[$`])/.exec(line.slice(start)) : null;
  const index = start + (inQuotes?.[0].length ?? 0);
  const char = line.charAt(index);
  const open = char === "'" || char === '"' ? 'a quote that is never closed' : 'shell syntax';
  const problem = `${JSON.stringify(char)} at column ${index + 1} is ${char === '\\' ? 'followed by no character' : open}.`;
  return new DevCliError('USAGE', `The command is split at blanks, quotes and backslashes only: ${problem}`, {
    details: [{ target: char, problem }],
    fix: 'If the character is meant literally, put it in single quotes.',
  });
}
