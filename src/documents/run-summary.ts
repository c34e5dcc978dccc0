import { toBoundedLine, toWholeLine } from './foreign.js';

/**
 * What a run achieved; computed from its journal, rendered as summary.md and report.md (documents.md, summary.md and
 * report.md).
 */
export interface RunSummary {
  goal: string;
  outcome: 'live' | 'completed' | 'halted' | 'aborted';
  /** UTC instant at which the summary was true; a halted run can be reopened later. */
  at: string;
  done: string[];
  /** Executions only: who approved the plan and its commands. */
  approvals?: string[];
  decisions: SummaryDecision[];
  changedFiles: string[];
  verification: string[];
  /** What failed, and what could not begin because of it. */
  failed?: string[];
  /** What was left out or done only in part. */
  skipped?: string[];
  commits?: string[];
  /** Events that no other part shows: halts, rejections, later permissions. */
  course?: string[];
  /** The pull request of the run, and whether it waits for a review or is a draft. */
  request?: string;
  openIssues: string[];
  /** What to do now. */
  next: string[];
}

interface SummaryDecision {
  text: string;
  reason?: string;
  by: 'user' | 'agent' | 'assumed';
  /** UTC instant. */
  at: string;
}

/** Characters of an entry that informs, but is not acted on. */
const ENTRY_LIMIT = 500;

/** Renders summary.md, or report.md under another title. Empty parts are left out. */
export function renderRunSummary(summary: RunSummary, title = 'Summary'): string {
  const head = [
    `# ${title}`,
    '',
    `Goal: ${renderBounded(summary.goal) || 'none stated'}`,
    '',
    `Outcome: ${summary.outcome} (${summary.at})`,
  ];
  const parts = buildSummaryParts(summary, { bounded: renderBounded, whole: renderWhole }).map((part) => [
    `## ${part.title}`,
    '',
    ...part.lines.map((line) => `- ${line}`),
  ]);
  return `${[head, ...parts].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/**
 * Builds the parts of a summary that are not empty, in the order common to all renderings.
 * @param lines prepares a foreign line for its document: `whole` if it has to be acted on, else `bounded`
 */
export function buildSummaryParts(
  summary: RunSummary,
  lines: { bounded: (text: string) => string; whole: (text: string) => string },
): { title: string; lines: string[] }[] {
  const decisions = summary.decisions.map(({ text, reason, by, at }) => {
    const why = reason === undefined ? '' : `, because ${lines.whole(reason)}`;
    return `${lines.whole(text)}${why} (${by}, ${at})`;
  });
  const parts: [string, string[]][] = [
    ['Done', summary.done.map(lines.bounded)],
    ['Failed', (summary.failed ?? []).map(lines.whole)],
    ['Skipped or degraded', (summary.skipped ?? []).map(lines.bounded)],
    ['Commits', (summary.commits ?? []).map(lines.bounded)],
    ['Approved', (summary.approvals ?? []).map(lines.bounded)],
    ['On the way', (summary.course ?? []).map(lines.bounded)],
    ['Pull request', summary.request === undefined ? [] : [lines.bounded(summary.request)]],
    ['Decisions', decisions],
    ['Changed files', summary.changedFiles.map(lines.bounded)],
    ['Verification', summary.verification.map(lines.bounded)],
    ['Open issues', summary.openIssues.map(lines.whole)],
    ['Next', summary.next.map(lines.whole)],
  ];
  return parts.flatMap(([title, held]) => (held.length === 0 ? [] : [{ title, lines: held }]));
}

/** Renders a line that opens no HTML. */
function renderBounded(text: string): string {
  return toBoundedLine(text, ENTRY_LIMIT).replaceAll('<', '&lt;');
}

/** Renders an uncut line: what failed, what stays open and what was decided has to be acted on. */
function renderWhole(text: string): string {
  return toWholeLine(text).replaceAll('<', '&lt;');
}
