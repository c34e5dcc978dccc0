/** What report.md says of an execution; documents/run-summary.ts writes it. */
export interface ReadReport {
  text: string;
  /** `2 of 3 requirements met`; absent where the plan has none. */
  proof?: string;
  /** What is left open: `halted`, `Failed: 2`. */
  open: string[];
}

/** The parts of a report whose lines somebody has to look at. */
const OPEN = ['Failed', 'For you to confirm', 'Open issues', 'Skipped or degraded'];

/** Reads a report. It may have been edited: what is not there is not told. */
export function readReport(text: string): ReadReport {
  const [head = '', ...parts] = text.split(/^## /m);
  const listIn = (title: string, start: string) =>
    parts
      .filter((part) => part.startsWith(`${title}\n`))
      .flatMap((part) => part.split('\n').filter((line) => line.startsWith(start)));
  const [, outcome = 'completed'] = /^Outcome: ([a-z]+)/m.exec(head) ?? [];
  const open = OPEN.flatMap((title) => {
    const { length } = listIn(title, '- ');
    return length === 0 ? [] : [`${title}: ${length}`];
  });
  // Below the names of the columns and a line of dashes.
  const results = listIn('Requirements', '| ')
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
