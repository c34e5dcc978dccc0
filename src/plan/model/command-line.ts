import { ASSIGNMENT } from '../../documents/plan-text.js';

/**
 * Parses what `formatCommandLine` writes. The parser has a file of its own, because every call of dev-cli loads
 * `formatCommandLine`, but few calls need the parser.
 */

/** A parsed command line: its argument vector, or why it cannot be parsed. */
export type ParsedCommandLine = { kind: 'words'; argv: string[] } | { kind: 'fault'; problem: string };

/**
 * Parses a command line: the output of `formatCommandLine` or `formatPlainCommandLine`, or a line that a person would
 * type into a shell, if it needs no shell. In double quotes, escapes are those of JSON plus \u{…}.
 */
export function parseCommandLine(line: string): ParsedCommandLine {
  const argv: string[] = [];
  let at = 0;
  while (true) {
    while (/\s/.test(line.charAt(at))) at += 1;
    if (at >= line.length) break;
    const word = readWord(line, at, argv.length === 0);
    if ('problem' in word) return { kind: 'fault', problem: word.problem };
    argv.push(word.value);
    at = word.end;
  }
  return argv.length === 0 ? { kind: 'fault', problem: 'there is no command' } : { kind: 'words', argv };
}

type Word = { value: string; end: number } | { problem: string };

function readWord(line: string, start: number, isFirst: boolean): Word {
  let value = '';
  let at = start;
  while (at < line.length && !/\s/.test(line.charAt(at))) {
    const piece = readQuoted(line, at) ?? readBare(line, at, at === start, isFirst);
    if ('problem' in piece) return piece;
    value += piece.value;
    at = piece.end;
  }
  return { value, end: at };
}

const IN_DOUBLE = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const IN_SINGLE = /'([^']*)'/y;
const ESCAPE = /\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([\s\S]))/gu;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function readQuoted(line: string, at: number): Word | null {
  const quote = line.charAt(at);
  if (quote === '\\') {
    return at + 1 < line.length
      ? { value: line.charAt(at + 1), end: at + 2 }
      : { problem: 'a backslash at the end quotes nothing' };
  }
  if (quote !== '"' && quote !== "'") return null;
  const pattern = quote === '"' ? IN_DOUBLE : IN_SINGLE;
  pattern.lastIndex = at;
  const [whole, inside = ''] = pattern.exec(line) ?? [];
  if (whole === undefined) return { problem: `a quotation mark ${quote} is not closed` };
  const end = at + whole.length;
  if (quote === "'") return { value: inside, end };
  let unknown: string | null = null;
  const value = inside.replace(ESCAPE, (whole, plain?: string, unit?: string, code?: string) => {
    if (plain !== undefined) return ESCAPED[plain] ?? plain;
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    const point = Number.parseInt(code ?? '', 16);
    if (point <= 0x10ffff) return String.fromCodePoint(point);
    unknown ??= whole;
    return '';
  });
  return unknown === null
    ? { value, end }
    : { problem: `${unknown} in double quotes is not an escape: write \\${unknown}, or put it into single quotes` };
}

/** Matches up to the next white space, quotation mark or character that is special to a shell. */
const PLAIN = /[^\s"'\\|&;<>()`$*?#~[{]+/y;
const REFERENCE = /\$\{[A-Za-z0-9][A-Za-z0-9_-]*\.outputs\.[A-Za-z_][A-Za-z0-9_-]*\}/y;

function readBare(line: string, at: number, isStart: boolean, isFirst: boolean): Word {
  for (const pattern of [PLAIN, REFERENCE]) {
    pattern.lastIndex = at;
    const [value] = pattern.exec(line) ?? [];
    if (value === undefined) continue;
    return isStart && isFirst && ASSIGNMENT.test(value)
      ? { problem: `no shell sets ${value.slice(0, value.indexOf('='))}: put env before it` }
      : { value, end: at + value.length };
  }
  const rest = line.slice(at);
  const character = rest.charAt(0);
  const meaning = findMeaning(rest, isStart);
  return meaning === null
    ? { value: character, end: at + 1 }
    : { problem: `${meaning}, and no shell runs this: quote ${character}, or write sh -c '…'` };
}

/** Returns the meaning that a shell gives to the first character of this text; null if it has no special meaning. */
function findMeaning(rest: string, isStart: boolean): string | null {
  switch (rest.charAt(0)) {
    case '|':
      return '| is a pipe or an "or"';
    case '&':
      return '& is an "and", or for the background';
    case ';':
      return '; separates commands';
    case '<':
    case '>':
      return `${rest.charAt(0)} redirects`;
    case '(':
    case ')':
    case '`':
      return `${rest.charAt(0)} runs a command inside`;
    case '$':
      return /^\$[\w{(@*#?$!-]/.test(rest) ? '$ is a variable' : null;
    case '*':
    case '?':
      return `${rest.charAt(0)} is a file name pattern`;
    case '[':
      return /^\[[^\s\]]+\]/.test(rest) ? '[ is a file name pattern' : null;
    case '{':
      return /^\{[^\s}]*(?:,|\.\.)[^\s}]*\}/.test(rest) ? '{ expands to several words' : null;
    case '#':
      return isStart ? '# begins a comment' : null;
    default:
      return isStart && /^~[\w/]*(?:\s|$)/.test(rest) ? '~ is a home directory' : null;
  }
}
