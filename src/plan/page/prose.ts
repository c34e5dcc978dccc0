import { renderCodePoint, revealInvisible, toOneLine } from '../../documents/plan-text.js';

/**
 * Prepares the texts of a plan for PLAN.md. A model wrote them, so none may begin a heading, tick a box, open a fence
 * or a comment, or hide anything (documents.md, PLAN.md).
 */

/**
 * Renders a text as one line of prose that reads the same in a terminal and in a viewer: a word that Markdown would take
 * for markup becomes code, and nothing is escaped. Code in backticks stays code, to the blank.
 */
export function renderProse(text: string): string {
  const line = revealInvisible(toOneLine(text));
  if (HARMLESS.test(line)) return line;
  const shown: string[] = [];
  let code: string[] = [];
  const endCode = (after = '') => {
    if (code.length > 0) shown.push(`${renderCodeSpan(code.join(' '))}${after}`);
    code = [];
  };
  const masked = maskCode(line);
  for (let start = 0; start < line.length; ) {
    const blank = masked.indexOf(' ', start);
    const end = findBracketEnd(masked, start, blank < 0 ? line.length : blank);
    const [word, mask] = [line.slice(start, end), masked.slice(start, end)];
    start = end + 1;
    if (!isMarkup(mask, end === word.length)) {
      endCode();
      shown.push(word);
      continue;
    }
    const before = /^[("'“‘]*/.exec(mask)?.[0] ?? '';
    const tail = findTail(mask, before.length);
    const [core, after] = [word.slice(before.length, tail), word.slice(tail)];
    if (before === '') code.push(core);
    else {
      endCode();
      shown.push(`${before}${renderCodeSpan(core)}${after}`);
      continue;
    }
    if (after !== '') endCode(after);
  }
  endCode();
  return shown.join(' ');
}

/** How many characters are held together at most. */
const LONGEST_BRACKETS = 120;

/** Returns the end of a word, or of those that its brackets hold together: `Plugin<T extends Args = any>` is one piece of code. */
function findBracketEnd(line: string, start: number, end: number): number {
  const word = line.slice(start, end);
  if (/\w<[A-Za-z]/.test(word)) return findClosing(line, start, end, '<>');
  return /(?:^|[\w(])\[/.test(word) ? findClosing(line, start, end, '[]') : end;
}

function findClosing(line: string, start: number, end: number, pair: '<>' | '[]'): number {
  let depth = 0;
  for (let at = start; at < line.length && at < start + LONGEST_BRACKETS; at += 1) {
    if (/^(?:&&|\|\|)/.test(line.slice(at, at + 2))) return end;
    if (line[at] === pair[0]) depth += 1;
    // An arrow is no bracket.
    else if (line[at] === pair[1] && !/[=-]/.test(line[at - 1] ?? '')) depth -= 1;
    if (depth === 0 && at >= end) return line[at] === ' ' ? at : findWordEnd(line, at);
  }
  return end;
}

function findWordEnd(line: string, from: number): number {
  const blank = line.indexOf(' ', from);
  return blank < 0 ? line.length : blank;
}

/** The fast path: no character that could be markup, and none at the beginning that could open a block. */
const HARMLESS = /^[\p{L}("'“‘][\p{L}\p{M}\p{N} .,:;/()"'“”‘’?!%@=+-]*$/u;

/** Stands for a character of code in backticks. */
const CODE = '\uE000';
/** What Markdown takes for markup anywhere in a line: escapes, links, code, HTML, entities, emphasis, formulas. */
const MARKUP = /[\\[\]`]|<[A-Za-z/!?]|&#?\w+;|.~|^~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\$[A-Za-z{(]|^#+$/u;
/** What becomes a link without any mark, and takes the backticks behind it for a part of the address. */
const ADDRESS = /:\/\/|www\.|@/i;
/** Stars that stand for emphasis at most: at the ends of a word of letters. */
const STARRED = /^\*{0,3}[\uE000\p{L}\p{M}\p{N}'’"().,:;!?-]*\*{0,3}[.,:;!?)]*$/u;
const LONGEST_STARRED = 80;
/** What opens a block at the beginning of a line. */
const OPENING = /^(?:[-+*]|>.*|\d{1,9}[.)]|#{1,6}|[-=_*]{2,})$/;

/** `<a@b.c>` is a link, whatever it begins with. */
function isAddressInBrackets(word: string): boolean {
  const open = word.indexOf('<');
  return open >= 0 && word.lastIndexOf('@') > open;
}

/** Returns where the punctuation at the end of a word begins. */
function findTail(word: string, from: number): number {
  let at = word.length;
  while (at > from && TAIL.includes(word.charAt(at - 1))) at -= 1;
  return at;
}

const TAIL = `)"'”’.,:;!?`;

function isMarkup(word: string, isFirst: boolean): boolean {
  if (word.includes(CODE) && ADDRESS.test(word)) return true;
  if (word.includes('*') && (word.length > LONGEST_STARRED || !STARRED.test(word))) return true;
  return MARKUP.test(word) || isAddressInBrackets(word) || (isFirst && OPENING.test(word));
}

/** Replaces code in backticks, as CommonMark finds it; backticks that remain are those that belong to none. */
function maskCode(line: string): string {
  if (!line.includes('`')) return line;
  const runs = [...line.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ index, length }));
  const closing = new Map<number, number>();
  const later = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    const next = later.get(length);
    if (next !== undefined) closing.set(at, next);
    later.set(length, at);
  }
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const [open, close] = [runs[at], runs[closing.get(at) ?? -1]];
    if (open === undefined || close === undefined) continue;
    const end = close.index + close.length;
    parts.push(line.slice(from, open.index), CODE.repeat(end - open.index));
    from = end;
    at = closing.get(at) ?? at;
  }
  const masked = parts.join('') + line.slice(from);
  // Behind a backslash outside of code a backtick is none, and all that follow pair otherwise: then each is a lone one.
  return /\\[`\uE000]/.test(masked) ? line : masked;
}

/** Renders a text as a cell of a table, in which only a bar needs an escape. */
export function renderCell(text: string): string {
  return escapeBars(renderProse(text));
}

/** Escapes the bars of a text that is rendered already, for a cell; one behind a backslash is shown by its code. */
export function escapeBars(text: string): string {
  return text.replaceAll('\\|', () => `\\${renderCodePoint('|')}`).replaceAll('|', '\\|');
}

/** Renders a text as code, character by character. */
export function renderCodeSpan(text: string): string {
  const shown = revealInvisible(text);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const ticks = '`'.repeat(longest + 1);
  const padding = /^`|`$|^ .* $/.test(shown) ? ' ' : '';
  return `${ticks}${padding}${shown}${padding}${ticks}`;
}

/** Escapes a text for a quoted label of a Mermaid graph: cut to 60 characters, special ones shown as codes. */
export function escapeMermaidLabel(text: string): string {
  const line = revealInvisible(text.replace(/\s+/g, ' ').trim());
  const shown = [...line];
  const cut = shown.length > 60 ? `${shown.slice(0, 59).join('')}…` : line;
  return cut.replace(/[^\p{L}\p{N} .,:/_\u2026-]/gu, (character) => `#${character.codePointAt(0)};`);
}
