import { toBoundedLine, toWholeLine } from './foreign.js';
import { buildSummaryParts, type RunSummary } from './run-summary.js';

/** The text of a pull request, rendered from the value that report.md renders (documents.md, summary.md and report.md; engine.md, Stages). */

/** What a forge takes, in characters. */
export const REQUEST_TITLE = 256;
export const REQUEST_BODY = 65_536;

/** Characters of a line that somebody reads to know, not to act on. */
const LINE_CAP = 500;

/**
 * The body: Markdown of at most `REQUEST_BODY` characters, in which nothing foreign is markup, notifies a person or closes
 * an issue. What does not fit is left out from the end, which says so.
 */
export function renderRequestBody(summary: RunSummary): string {
  const lines = buildSummaryParts(summary, { shown: renderBounded, told: renderWhole }).flatMap(
    ({ title, lines: items }) => [`## ${title}`, '', ...items.map((item) => `- ${item}`), ''],
  );
  const all = [`${renderBounded(summary.goal) || 'No goal was stated.'}`, '', ...lines];
  const kept: string[] = [];
  let length = 0;
  for (const line of all) {
    length += line.length + 1;
    if (length > REQUEST_BODY - CUT_ROOM) break;
    kept.push(line);
  }
  const left = all.length - kept.length;
  if (left > 0) kept.push('', `_${left} more lines do not fit; report.md of the run has them._`);
  return `${kept.join('\n').trimEnd()}\n`;
}

/** Room for the line that says what was left out. */
const CUT_ROOM = 100;

function renderBounded(text: string): string {
  return escapeMarkup(toBoundedLine(text, LINE_CAP));
}

/** What somebody has to act on is whole. */
function renderWhole(text: string): string {
  return escapeMarkup(toWholeLine(text));
}

/** One line that is nothing but text wherever Markdown of a forge is rendered. */
function escapeMarkup(line: string): string {
  return (
    line
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replace(/[\\`*_[\]{}~|$>]/g, '\\$&')
      .replace(/^([-+#]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`))
      // A name is not called, an issue not linked or closed: a comment parts the sign from what it would act on.
      .replace(/([@#]|\bGH-)(?=[A-Za-z0-9])/gi, '$1<!-- -->')
      .replace(/:\/\//g, ':<!-- -->//')
  );
}
