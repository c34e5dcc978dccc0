// shared: common

import type { ErrorDetail } from '../base/errors.js';
import { getLeadingCharacter, readMarkdownLines } from './markdown-lines.js';

/** The headings of a Markdown note, and whether there is text below them (recipes.md, Data). */

/**
 * Lists the headings that a text lacks, and those that have only other headings below them, no text. Level, case, white
 * space and emphasis do not matter.
 */
export function listHeadingFaults(text: string, headings: readonly string[]): ErrorDetail[] {
  const said = readHeadings(text);
  return headings.flatMap((heading) => {
    const found = said.get(toKey(heading));
    if (found === true) return [];
    const problem = found === undefined ? 'this heading is missing' : 'there is no text below this heading';
    return [{ target: heading, problem, expected: `a line \`## ${heading}\`, and text below it` }];
  });
}

/** Returns the key that all spellings of a heading share. */
export function toKey(heading: string): string {
  return heading.replace(/[*_`]/g, '').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Maps the key of each heading to whether there is text below it, before the next heading of its level or above. */
function readHeadings(text: string): Map<string, boolean> {
  const said = new Map<string, boolean>();
  let open: { key: string; level: number }[] = [];
  for (const line of readMarkdownLines(text)) {
    const heading = line.fenced || getLeadingCharacter(line.text) !== '#' ? null : readHeading(line.text);
    if (heading !== null) {
      open = [...open.filter(({ level }) => level < heading.level), heading];
      said.set(heading.key, said.get(heading.key) ?? false);
    } else if (line.text.trim() !== '') {
      for (const { key } of open) said.set(key, true);
    }
  }
  return said;
}

function readHeading(line: string): { key: string; level: number } | null {
  const [, marks, title] = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line) ?? [];
  if (marks === undefined) return null;
  return { key: toKey((title ?? '').replace(/(^|[ \t])#+[ \t]*$/, '')), level: marks.length };
}
