// door: plan

import { toBoundedLine } from './foreign.js';

/** The decisions of DRAFT.md: one bullet each, which ends with whose it is (documents.md, summary.md and report.md). */

/** A bullet of the section. */
export interface DraftDecision {
  text: string;
  by: 'user' | 'agent' | 'assumed';
  /** It says whose it is somewhere else than at its end, which does not count. */
  isMisplaced: boolean;
}

/** The end of a decision's line that says whose it is, such as `(user)`. */
const BY = / *\((user|assumed|agent)\)[.\s]*$/i;

/** The same anywhere. */
const ANYWHERE = /\((?:user|assumed)\)/i;

/** Reads the decisions in the text of the section. */
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

/** Characters of a decision that a warning shows, and how many it names. */
const SHOWN = { decisions: 5, cap: 80 };

/**
 * Warns of new decisions that name the user and yet count as the agent's.
 * @param before the text of the section as it was
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
        `decisions: ${JSON.stringify(toBoundedLine(text, SHOWN.cap))} counts as the agent's: whose it is has to end the line, and nothing may follow. If it is the user's, end the line with (user)`,
    );
}

/** What begins something else than a further line of the same sentence: a blank line, a list, a heading, a quote, a fence. */
const OTHER = /^\s*(?:$|[-*+] |\d+[.)] |#|>|```|~~~)/;

/** The first paragraph of a bullet, however its lines were wrapped. */
function joinWrapped([first = '', ...rest]: readonly string[]): string {
  const end = rest.findIndex((line) => OTHER.test(line));
  const wrapped = end < 0 ? rest : rest.slice(0, end);
  return [first, ...wrapped.map((line) => line.trim())].join(' ');
}

/** Splits a section into its bullets, each with the lines below it. */
function splitBullets(section: string): string[][] {
  const bullets: string[][] = [];
  for (const line of section.split('\n')) {
    if (/^[-*] /.test(line)) bullets.push([line]);
    else bullets.at(-1)?.push(line);
  }
  return bullets;
}
