import type { DecisionSection } from '../../../base/decision.js';

/** What dev-cli reads back from report.md, which documents/run-summary.ts wrote at the end of an execution. */
export interface ReadReport {
  text: string;
  /** `2 of 3 requirements met`; absent if the plan has no requirements. */
  proof?: string;
  /**
   * The outcome unless it is `completed`, then the number of lines under each heading that needs attention: `halted`,
   * `Failed: 2`.
   */
  open: string[];
}

/** Headings of report.md under which each line needs somebody's attention. */
const OPEN = ['Failed', 'For you to confirm', 'Open issues', 'Skipped or degraded'];

/** Lists what a report leaves open, by heading, without list markers. */
export function listOpenParts(text: string): DecisionSection[] {
  return OPEN.flatMap((heading) => {
    const lines = listIn(text, heading, '- ').map((line) => line.slice(2));
    return lines.length === 0 ? [] : [{ heading, lines }];
  });
}

function listIn(text: string, title: string, start: string): string[] {
  return text
    .split(/^## /m)
    .slice(1)
    .filter((part) => part.startsWith(`${title}\n`))
    .flatMap((part) => part.split('\n').filter((line) => line.startsWith(start)));
}

/** Parses a report. It may have been edited: missing parts are omitted. */
export function readReport(text: string): ReadReport {
  const [head = ''] = text.split(/^## /m);
  const [, outcome = 'completed'] = /^Outcome: ([a-z]+)/m.exec(head) ?? [];
  const open = OPEN.flatMap((title) => {
    const { length } = listIn(text, title, '- ');
    return length === 0 ? [] : [`${title}: ${length}`];
  });
  // Skips the header row and the line of dashes.
  const results = listIn(text, 'Requirements', '| ')
    .slice(2)
    .map(
      (row) =>
        row
          .split(/(?<!\\)\|/)
          .at(-2)
          ?.trim() ?? '',
    );
  const met = results.filter((result) => /^met\b/.test(result)).length;
  return {
    text,
    ...(results.length > 0 && { proof: `${met} of ${results.length} requirements met` }),
    open: outcome === 'completed' ? open : [outcome, ...open],
  };
}
