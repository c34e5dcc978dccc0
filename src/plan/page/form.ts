import { sha256 } from '../../base/sha256.js';

/** The head of PLAN.md, which states the version of its format and the checksum of its text (documents.md, PLAN.md). */

const HEAD = /^# Plan[^\n]*\n<!-- dev-cli plan 2 \(([0-9a-f]{12})\), /;

/** The format line below the title, even if a formatter or an edit has moved it. */
const FORM_LINE = /^<!-- dev-cli plan 2 \(([0-9a-f]{12})\), /m;

/** Placeholder for the checksum while it is computed. */
export const BLANK = '0'.repeat(12);

/** Renders the format line below the title. */
export function renderFormLine(sum: string): string {
  return `<!-- dev-cli plan 2 (${sum}), made from plan-content.json. After an edit, here or there: dev-cli plan apply -->`;
}

/**
 * Returns whether PLAN.md is as it was rendered.
 * @param blank its text with LF line endings and no box ticked
 */
export function isAsRendered(blank: string): boolean {
  const [head, stated] = HEAD.exec(blank) ?? [];
  if (head === undefined || stated === undefined) return false;
  const at = head.lastIndexOf(stated);
  return computeChecksum(`${blank.slice(0, at)}${BLANK}${blank.slice(at + stated.length)}`) === stated;
}

/** Returns the checksum that PLAN.md states for its text as it was rendered; null if the format line is missing. */
export function readChecksum(planMd: string): string | null {
  const head = planMd
    .slice(0, 1000)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n');
  return FORM_LINE.exec(head)?.[1] ?? null;
}

export function computeChecksum(text: string): string {
  return sha256(text).slice(0, BLANK.length);
}
