import {
  type Fence,
  findClosingRun,
  findOpeningFence,
  getLeadingCharacter,
  isClosingFence,
  readMarkdownLines,
} from './markdown-lines.js';
import { isSectionId, type SectionId } from './sections.js';

/**
 * Converts between the text of a section and its form in DRAFT.md. A line that would be read as structure (a marker, a
 * placeholder, a level-two heading, an unclosed fence) gets a backslash in front, which Markdown does not show. A line
 * that already has such backslashes gets one more. `decodeSection` removes exactly one backslash, so every text
 * survives the conversion unchanged.
 */

const MARKER = /^ {0,3}<!--\s*section\s*:\s*([\w-]+)\s*-->\s*$/;
const PLACEHOLDER = /^ {0,3}<!--\s*empty\s*:/;
const STRUCTURE = /^( {0,3})(\\*)(##(?=[ \t]|$)|<!--\s*(?:section|empty)\s*:|`{3}|~{3})/;

/** Renders the marker that begins a section. */
export function renderMarker(id: string): string {
  return `<!-- section: ${id} -->`;
}

/** Renders the placeholder of an empty section. */
export function renderPlaceholder(hint: string): string {
  return `<!-- empty: ${hint} -->`;
}

/** Returns the id of the section if `line` is its marker, or null for any other line. */
export function parseMarker(line: string): SectionId | null {
  const id = getLeadingCharacter(line) === '<' ? MARKER.exec(line)?.[1] : undefined;
  return id !== undefined && isSectionId(id) ? id : null;
}

/** Returns whether `line` is the placeholder comment of an empty section. */
export function isPlaceholder(line: string): boolean {
  if (getLeadingCharacter(line) !== '<') return false;
  const end = line.trimEnd();
  return PLACEHOLDER.test(end) && end.indexOf('-->') === end.length - '-->'.length;
}

/** Returns whether a text contains any character other than white space, control and format characters. */
export function hasContent(text: string): boolean {
  // ASCII is tried first, because nearly every text has some and compiling Unicode classes takes a millisecond.
  return /[!-~]/.test(text) || (text !== '' && /[^\s\p{Cc}\p{Cf}]/u.test(text));
}

/** Removes blank lines around a text and white space at its end, and turns line endings into LF; indentation stays. */
export function trimText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').trimEnd();
  let start = 0;
  for (let newline = lines.indexOf('\n'); newline !== -1; newline = lines.indexOf('\n', start)) {
    if (lines.slice(start, newline).trim() !== '') break;
    start = newline + 1;
  }
  return lines.slice(start);
}

/**
 * Escapes everything in a text that would be read as structure.
 * @param text a text that `trimText` has returned
 */
export function encodeSection(text: string): string {
  const lines = text.split('\n');
  const closed = findClosedFences(lines);
  let open: Fence | null = null;
  return lines
    .map((line, index) => {
      if (open !== null) {
        if (isClosingFence(line, open)) open = null;
        return line;
      }
      const fence = findOpeningFence(line);
      if (fence !== null && closed.has(index)) {
        open = fence;
        return line;
      }
      const found = matchStructure(line);
      const isText = found === null || (fence === null && found[2] === '' && /^[`~]/.test(found[3] ?? ''));
      return isText ? line : line.replace(/^ {0,3}/, '$&\\');
    })
    .join('\n');
}

/** Reverses `encodeSection`: returns the text without placeholders and escapes. */
export function decodeSection(raw: string): string {
  const lines: string[] = [];
  for (const line of readMarkdownLines(raw)) {
    if (line.fenced) lines.push(line.text);
    else if (!isPlaceholder(line.text)) lines.push(unescapeLine(line.text));
  }
  return trimText(lines.join('\n'));
}

function unescapeLine(line: string): string {
  const found = matchStructure(line);
  return found === null || found[2] === '' ? line : line.replace('\\', '');
}

function matchStructure(line: string): RegExpExecArray | null {
  return '\\#<`~'.includes(getLeadingCharacter(line)) ? STRUCTURE.exec(line) : null;
}

/** Finds the indexes of lines that open a fence that a later line closes; an unclosed fence does not count. */
function findClosedFences(lines: string[]): Set<number> {
  // For each line, the length of the longest run at or below it that could close a fence. This saves searching for the
  // end of each fence.
  const below = { '`': new Int32Array(lines.length + 1), '~': new Int32Array(lines.length + 1) };
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const run = findClosingRun(lines[index] ?? '');
    for (const character of ['`', '~'] as const) {
      const here = run?.character === character ? run.length : 0;
      below[character][index] = Math.max(here, below[character][index + 1] ?? 0);
    }
  }
  const closed = new Set<number>();
  let open: Fence | null = null;
  lines.forEach((line, index) => {
    if (open !== null) {
      if (isClosingFence(line, open)) open = null;
      return;
    }
    const fence = findOpeningFence(line);
    if (fence === null || (below[fence.character][index + 1] ?? 0) < fence.length) return;
    closed.add(index);
    open = fence;
  });
  return closed;
}
