// door: plan

import { toBoundedLine } from './foreign.js';

/**
 * The decisions of DRAFT.md: one bullet each. A bullet ends with a mark that says who made the decision (documents.md,
 * summary.md and report.md).
 */

/** A bullet of the section. */
export interface DraftDecision {
  text: string;
  by: 'user' | 'agent' | 'assumed';
  /** Whether the bullet has a mark such as `(user)`, but not at its end, so that the mark does not count. */
  isMisplaced: boolean;
}

/** The end of a decision's line that names who made it, such as `(user)`. */
const BY = / *\((user|assumed|agent)\)[.\s]*$/i;

/** A mark such as `(user)` at any place in a line, not only at its end. */
const ANYWHERE = /\((?:user|assumed)\)/i;

/** Reads the decisions from the text of the section. */
export function readDecisions(section: string): DraftDecision[] {
  return splitBullets(section).map((lines) => {
    const line = joinWrapped(lines);
    const marked = BY.exec(line)?.[1]?.toLowerCase();
    const prose = lines.join('\n').replace(/`[^`]*`/g, '');
    return {
      text: line.slice(2).replace(BY, '').trim(),
      by: marked === 'user' || marked === 'assumed' ? marked : 'agent',
      isMisplaced: marked === undefined && ANYWHERE.test(prose),
    };
  });
}

/** How many decisions a warning names, and how many characters of each it shows. */
const SHOWN = { decisions: 5, cap: 80 };

/**
 * Warns of new decisions with a misplaced mark, such as `(user)` in mid-sentence, which therefore count as the agent's.
 * @param before the previous text of the section
 */
export function listMisplaced(before: string, after: string): string[] {
  const read = (section: string) =>
    readDecisions(section).flatMap(({ text, isMisplaced }) => (isMisplaced ? [text] : []));
  const known = new Set(read(before));
  const found = read(after).filter((text) => !known.has(text));
  return found
    .slice(0, SHOWN.decisions)
    .map(
      (text) =>
        `decisions: ${JSON.stringify(toBoundedLine(text, SHOWN.cap))} counts as the agent's. The line must end with whose decision it is; if it is the user's, end it with (user)`,
    );
}

/** Lines that do not continue a sentence: a blank line, a list, a heading, a quote, a fence. */
const OTHER = /^\s*(?:$|[-*+] |\d+[.)] |#|>|```|~~~)/;

/** Joins the first paragraph of a bullet into one line. */
function joinWrapped([first = '', ...rest]: readonly string[]): string {
  const end = rest.findIndex((line) => OTHER.test(line));
  const wrapped = end < 0 ? rest : rest.slice(0, end);
  return [first, ...wrapped.map((line) => line.trim())].join(' ');
}

/** Splits a section into its bullets, each with the lines that belong to it. */
function splitBullets(section: string): string[][] {
  const bullets: string[][] = [];
  for (const line of section.split('\n')) {
    if (/^[-*] /.test(line)) bullets.push([line]);
    else bullets.at(-1)?.push(line);
  }
  return bullets;
}
