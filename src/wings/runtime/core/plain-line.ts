/** Shell lines that say all that they do (runtime.md, Permissions). Pure. */

/** A command of such a line. */
export interface PlainCommand {
  words: string[];
  /** Whether it reads what the one before it prints. */
  isPiped: boolean;
}

const BLANKS = /[ \t]+/y;
const BETWEEN = /(?:&&|\|\||;|\|)(?![&|;])/y;
/** Written apart from the word before it, which might be its number. */
const REDIRECTION = /(?:2>&1|[12]?>[ \t]*\/dev\/null)(?=[ \t;&|]|$)/y;
/** Outside quotes, in single ones, in double ones. */
const PIECE = /([\p{L}\p{N}_@%+:,./^=-]+)|'([^'\0]*)'|"((?:[^"\\$`\0]|\\[^$`\n])*)"/uy;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Reads a line of words, quotes, `&&`, `||`, `;`, `|`, `2>&1` and `>/dev/null`, once from the left.
 * @returns its commands; null for a line with anything else in it: by its text alone nobody knows what it does
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
  // Only `;` may stand at the end.
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
