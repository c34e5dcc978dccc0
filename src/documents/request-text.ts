import { toBoundedLine, toWholeLine } from './foreign.js';
import { buildSummaryParts, type RunSummary, renderSummaryPart } from './run-summary.js';

/**
 * Renders the text of a pull request from the same summary as report.md (documents.md, summary.md and report.md;
 * engine.md, Stages).
 */

/** Maximum number of characters that a forge accepts in a title. */
export const REQUEST_TITLE = 256;
/** Maximum number of characters that a forge accepts in a body. */
export const REQUEST_BODY = 65_536;

/** Maximum number of characters of a line that is only informative, so that it may be cut. */
const LINE_CAP = 500;

/**
 * Renders the body: Markdown of at most `REQUEST_BODY` characters, in which foreign text cannot act as markup, notify
 * people or close issues. If not all lines fit, the last ones are left out, and a final line counts them.
 */
export function renderRequestBody(summary: RunSummary): string {
  const parts = buildSummaryParts(summary, { bounded: renderBounded, whole: renderWhole });
  const lines = parts.flatMap((part) => [...renderSummaryPart(part), '']);
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

/** Characters reserved for the line that counts the lines left out. */
const CUT_ROOM = 100;

function renderBounded(text: string): string {
  return escapeMarkup(toBoundedLine(text, LINE_CAP));
}

/** Renders a text uncut, because somebody has to act on it. */
function renderWhole(text: string): string {
  return escapeMarkup(toWholeLine(text));
}

/** Escapes a line so that a forge renders it as plain text. */
function escapeMarkup(line: string): string {
  return (
    line
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replace(/[\\`*_[\]{}~|$>]/g, '\\$&')
      .replace(/^([-+#]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`))
      // An empty comment after `@` or `#` keeps the forge from notifying people and from linking or closing issues.
      .replace(/([@#]|\bGH-)(?=[A-Za-z0-9])/gi, '$1<!-- -->')
      .replace(/:\/\//g, ':<!-- -->//')
  );
}
