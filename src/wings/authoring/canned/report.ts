import { isRecord } from '../../../base/json.js';
import { splitFrontMatter } from '../../../documents/front-matter.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** Canned reports. */

const TIMESTAMP = '2026-01-01T00:00:00Z';

/**
 * Lists the words that a condition looks for: words in capitals such as OKAY, and the word after `result contains`. A
 * canned report contains them, so that the condition holds.
 */
export function listAwaitedWords(condition: string | undefined): string[] {
  const text = condition ?? '';
  const verdicts = text.matchAll(/["'`]?\b([A-Z][A-Z_]{2,})\b["'`]?/g);
  const wanted = text.matchAll(/\bresult\s+contains\s+["']?([\p{L}\p{N}_-]+)/gu);
  return [...new Set([...verdicts, ...wanted].flatMap(([, word]) => word ?? []))];
}

/**
 * Builds a report with the front matter that a prompt demands.
 * @param options.verdict whether a verdict is demanded
 * @param options.words the words to include in the body
 */
export function buildCannedReport(
  agent: string,
  { verdict, words = [] }: { verdict: boolean; words?: readonly string[] },
): string {
  const fields = {
    agent,
    timestamp: TIMESTAMP,
    summary: `Canned report of ${agent}.`,
    ...(verdict ? { verdict: 'OKAY' } : {}),
  };
  const body = ['Canned: nobody looked at anything.', ...words].join('\n');
  return `---\n${yaml().stringify(fields)}---\n\n${body}\n`;
}

/** Changes a canned report as a script says: sets its verdict, sets some keys, or replaces it by another text. */
export function changeReport(report: string, said: unknown): string {
  if (typeof said === 'string') return isVerdict(said) ? changeReport(report, { verdict: said }) : said;
  if (!isRecord(said)) return report;
  const matter = splitFrontMatter(report);
  if (matter.kind !== 'found') return report;
  const { body, ...fields } = said;
  const text = typeof body === 'string' ? body : matter.body;
  return `---\n${yaml().stringify({ ...matter.data, ...fields })}---\n${text.startsWith('\n') ? '' : '\n'}${text}`;
}

/** Returns whether a script gives a verdict rather than a text. */
export function isVerdict(said: string): boolean {
  return /^[A-Z][A-Z_]+$/.test(said);
}
