import { renderCodePoint, revealInvisible, toOneLine } from '../../documents/plan-text.js';

/**
 * Prepares the texts of a plan for PLAN.md. A model wrote them, so none may begin a heading, tick a box, open a fence
 * or a comment, or hide anything (documents.md, PLAN.md).
 */

/**
 * Renders a text as one line of prose that looks the same in a terminal and in a viewer. Nothing is escaped; instead, a
 * word that Markdown would take for markup becomes code. Code in backticks stays exactly as it is.
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

/** Maximum number of characters in brackets that are kept together as one piece of code. */
const LONGEST_BRACKETS = 120;

/**
 * Returns the end of a word. If the word opens a bracket, returns the end of the word that closes it, so that
 * `Plugin<T extends Args = any>` becomes one piece of code.
 */
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
    // The > of an arrow is no bracket.
    else if (line[at] === pair[1] && !/[=-]/.test(line[at - 1] ?? '')) depth -= 1;
    if (depth === 0 && at >= end) return line[at] === ' ' ? at : findWordEnd(line, at);
  }
  return end;
}

function findWordEnd(line: string, from: number): number {
  const blank = line.indexOf(' ', from);
  return blank < 0 ? line.length : blank;
}

/** Matches lines for the fast path: no character can be markup, and the beginning cannot open a block. */
const HARMLESS = /^[\p{L}("'“‘][\p{L}\p{M}\p{N} .,:;/()"'“”‘’?!%@=+-]*$/u;

/** Placeholder for each character of code in backticks. */
const CODE = '\uE000';
/** Markup anywhere in a line: escapes, links, code, HTML, entities, emphasis, formulas. */
const MARKUP = /[\\[\]`]|<[A-Za-z/!?]|&#?\w+;|.~|^~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\$[A-Za-z{(]|^#+$/u;
/** Text that a viewer turns into a link by itself. Backticks that follow would become part of the link. */
const ADDRESS = /:\/\/|www\.|@/i;
/** A word whose asterisks can only be emphasis: they stand at the ends of a word of letters. */
const STARRED = /^\*{0,3}[\uE000\p{L}\p{M}\p{N}'’"().,:;!?-]*\*{0,3}[.,:;!?)]*$/u;
const LONGEST_STARRED = 80;
/** Characters that open a block at the beginning of a line. */
const OPENING = /^(?:[-+*]|>.*|\d{1,9}[.)]|#{1,6}|[-=_*]{2,})$/;

/** Matches a link such as `<a@b.c>`, whatever precedes the @. */
function isAddressInBrackets(word: string): boolean {
  const open = word.indexOf('<');
  return open >= 0 && word.lastIndexOf('@') > open;
}

/** Returns where the trailing punctuation of a word begins. */
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

/** Masks code in backticks as CommonMark finds it. Backticks that remain belong to no code. */
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
  // A backslash outside code changes how all later backticks pair, so in that case no code is masked.
  return /\\[`\uE000]/.test(masked) ? line : masked;
}

/** Renders a text as a table cell, in which only bars need escaping. */
export function renderCell(text: string): string {
  return escapeBars(renderProse(text));
}

/** Escapes the bars of rendered text for a table cell. A bar after a backslash is shown as a code point. */
export function escapeBars(text: string): string {
  return text.replaceAll('\\|', () => `\\${renderCodePoint('|')}`).replaceAll('|', '\\|');
}

/** Renders a text as code, exactly character by character. */
export function renderCodeSpan(text: string): string {
  const shown = revealInvisible(text);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const ticks = '`'.repeat(longest + 1);
  const padding = /^`|`$|^ .* $/.test(shown) ? ' ' : '';
  return `${ticks}${padding}${shown}${padding}${ticks}`;
}

/** Escapes a text for a quoted label of a Mermaid graph: cut to 60 characters, with special characters as codes. */
export function escapeMermaidLabel(text: string): string {
  const line = revealInvisible(text.replace(/\s+/g, ' ').trim());
  const shown = [...line];
  const cut = shown.length > 60 ? `${shown.slice(0, 59).join('')}…` : line;
  return cut.replace(/[^\p{L}\p{N} .,:/_\u2026-]/gu, (character) => `#${character.codePointAt(0)};`);
}
