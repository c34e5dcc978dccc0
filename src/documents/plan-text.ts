import { replaceInvisible } from '../base/visible.js';

/**
 * Prepares the texts of a plan for PLAN.md. A model wrote them, so none may begin a heading, tick a box, open a fence
 * or a comment, or hide anything (documents.md, PLAN.md).
 */

/** Renders a text as one line of prose. Code in single backticks stays code; HTML, links and images become text. */
export function escapeProse(text: string): string {
  const line = revealInvisible(text.replace(/\s+/g, ' ').trim());
  const pieces = line.split(/(`[^`]+`)/);
  const escaped = pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeInline(piece))).join('');
  return escaped.replace(/^(?:[-+*#>=~|]|\d{1,9}(?=[.)]))/, '\\$&').replace(/^\\(\d+)([.)])/, '$1\\$2');
}

function escapeInline(text: string): string {
  return text.replace(/[\\`[\]]/g, '\\$&').replaceAll('<', '&lt;');
}

/** Renders a text of several lines as a quotation, beyond which nothing in it has an effect. */
export function renderQuotation(text: string): string[] {
  const lines = text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/.exec(line)?.[0] ?? '';
    return line.trim() === '' ? '>' : `> ${bullet}${escapeProse(line.slice(bullet.length))}`;
  });
}

/** Renders a text as code, character by character. */
export function renderCodeSpan(text: string): string {
  const shown = revealInvisible(text);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const ticks = '`'.repeat(longest + 1);
  const padding = /^`|`$|^ .* $/.test(shown) ? ' ' : '';
  return `${ticks}${padding}${shown}${padding}${ticks}`;
}

/** Renders an argument vector so that a person sees where each argument ends; where necessary it is quoted as JSON. */
export function formatCommandLine(argv: readonly string[]): string {
  return argv.map((argument) => (/^[\w@%+=:,./-]+$/.test(argument) ? argument : JSON.stringify(argument))).join(' ');
}

/** Renders a command line for the person who decides on it: uncut, invisible characters shown by their codes. */
export function formatPlainCommandLine(argv: readonly string[]): string {
  return revealInvisible(formatCommandLine(argv));
}

/** Escapes a text for a quoted label of a Mermaid graph: cut to 60 characters, special ones shown as codes. */
export function escapeMermaidLabel(text: string): string {
  const line = revealInvisible(text.replace(/\s+/g, ' ').trim());
  const shown = [...line];
  const cut = shown.length > 60 ? [...shown.slice(0, 59), '…'] : shown;
  return cut
    .map((character) => (/[\p{L}\p{N} .,:/_\u2026-]/u.test(character) ? character : `#${character.codePointAt(0)};`))
    .join('');
}

/** Shows invisible characters by their codes, because a plan is approved by its looks. Joiners that join stay. */
function revealInvisible(text: string): string {
  return replaceInvisible(text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, renderCodePoint), renderCodePoint);
}

function renderCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
