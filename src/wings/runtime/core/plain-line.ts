/** Shell lines whose text shows everything that they do (runtime.md, Permissions). Pure. */

/** A command of a plain line. */
export interface PlainCommand {
  words: string[];
  /** Whether it reads the output of the command before it. */
  isPiped: boolean;
}

const BLANKS = /[ \t]+/y;
const BETWEEN = /(?:&&|\|\||;|\|)(?![&|;])/y;
/** Matches a redirection that changes nothing. In `5>/dev/null`, the `5` would be a file descriptor and not a word. */
const REDIRECTION = /(?:2>&1|[12]?>[ \t]*\/dev\/null)(?=[ \t;&|]|$)/y;
/** A piece of a word: bare, in single quotes, or in double quotes. */
const PIECE = /([\p{L}\p{N}_@%+:,./^=-]+)|'([^'\0]*)'|"((?:[^"\\$`\0]|\\[^$`\n])*)"/uy;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Parses a line that consists only of words, quotes, `&&`, `||`, `;`, `|`, `2>&1` and `>/dev/null`.
 * @returns its commands; null if the line contains anything else, because then its text does not show all that it does
 */
export function readPlainLine(line: string): PlainCommand[] | null {
  const commands: PlainCommand[] = [];
  let command: PlainCommand = { words: [], isPiped: false };
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    at += found?.[0].length ?? 0;
    return found;
  };
  while (at < line.length) {
    if (take(BLANKS) !== null || take(REDIRECTION) !== null) continue;
    const between = take(BETWEEN);
    const word = between === null ? readWord(take, command.words.length === 0) : null;
    if (between !== null && command.words.length > 0) {
      commands.push(command);
      command = { words: [], isPiped: between[0] === '|' };
    } else if (word !== null && /[ \t;&|]/.test(line[at] ?? ' ')) {
      command.words.push(word);
    } else return null;
  }
  if (command.words.length > 0) return [...commands, command];
  // A line may end with `;`, but not with `&&`, `||` or `|`.
  return commands.length > 0 && /;[ \t]*$/.test(line) ? commands : null;
}

function readWord(take: (pattern: RegExp) => RegExpExecArray | null, isFirst: boolean): string | null {
  let word: string | null = null;
  for (let piece = take(PIECE); piece !== null; piece = take(PIECE)) {
    const [, bare, single, double = ''] = piece;
    word = (word ?? '') + (bare ?? single ?? double.replace(/\\(["\\])/g, '$1'));
  }
  return word !== null && isFirst && ASSIGNMENT.test(word) ? null : word;
}
