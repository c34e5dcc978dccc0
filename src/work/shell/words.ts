/** A part of a word: text, a variable by its name, the texts of `{a,b}`, or (null) what only a shell could know. */
export type Part = string | { variable: string } | { choices: string[] } | null;
export type Word = readonly Part[];

/** A command of a shell line, as far as the guard has to know it. */
export interface Command {
  words: Word[];
  /** Files that are written, by `>` and its kin. */
  writes: Word[];
  /** The text of a here-document or a here-string. */
  body: Word | null;
}

/** Words behind which another command begins. */
const OPENING = ['if', 'elif', 'while', 'until', '!', 'then', 'do', 'else', '{', 'time', 'coproc'];

/** Whether nothing of a command is there yet but words of the shell. */
export function isBeginning({ words }: Command): boolean {
  return words.every(([first, ...more]) => more.length === 0 && OPENING.includes(String(first)));
}

/** Whether a word may be the number before a redirection. */
export function isFileDescriptor([first, ...more]: Word): boolean {
  return more.length === 0 && typeof first === 'string' && /^(?:\d+|\{\w+\})$/.test(first);
}

/** Makes one text of those that follow each other. */
export function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let from = 0;
  for (const [index, part] of [...parts, null].entries()) {
    if (typeof part === 'string') continue;
    if (index > from) joined.push(parts.slice(from, index).join(''));
    if (index < parts.length) joined.push(part);
    from = index + 1;
  }
  return joined;
}
