/**
 * A part of a word: text, a variable by its name, the alternatives of `{a,b}`, or null for a value that only the shell
 * knows.
 */
export type WordPart = string | { variable: string } | { choices: string[] } | null;
export type Word = readonly WordPart[];

/** A command of a shell line, reduced to the parts that the guard needs. */
export interface Command {
  words: Word[];
  /** Files that `>` and similar redirections write. */
  writes: Word[];
  /** The text of a here-document or a here-string. */
  body: Word | null;
}

/** Shell words after which a command begins. */
const OPENING = ['if', 'elif', 'while', 'until', '!', 'then', 'do', 'else', '{', 'time', 'coproc'];

/** Returns whether only words of `OPENING` have been read so far, so that the next word begins the command proper. */
export function isBeginning({ words }: Command): boolean {
  return words.every(([first, ...more]) => more.length === 0 && OPENING.includes(String(first)));
}

/** Returns whether a word may be the file descriptor before a redirection. */
export function isFileDescriptor([first, ...more]: Word): boolean {
  return more.length === 0 && typeof first === 'string' && /^(?:\d+|\{\w+\})$/.test(first);
}

/** Joins adjacent texts into one. */
export function joinTexts(parts: readonly WordPart[]): WordPart[] {
  const joined: WordPart[] = [];
  let from = 0;
  for (const [index, part] of [...parts, null].entries()) {
    if (typeof part === 'string') continue;
    if (index > from) joined.push(parts.slice(from, index).join(''));
    if (index < parts.length) joined.push(part);
    from = index + 1;
  }
  return joined;
}
