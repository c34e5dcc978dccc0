import { toBoundedLine, toWholeLine } from './foreign.js';

/** What a run came to; computed from its journal, rendered as summary.md and report.md (documents.md, summary.md and report.md). */
export interface RunSummary {
  goal: string;
  outcome: 'live' | 'completed' | 'halted' | 'aborted';
  /** UTC instant of which all this is true: a run that halted can be reopened. */
  at: string;
  done: string[];
  /** Of an execution: who approved the plan and its commands. */
  approvals?: string[];
  decisions: SummaryDecision[];
  changedFiles: string[];
  verification: string[];
  /** What failed, and what it kept back. */
  failed?: string[];
  /** What was left out, or could only be done in part: not the same as done. */
  skipped?: string[];
  commits?: string[];
  /** Turns that the rest does not show: halts, rejections, what was allowed later. */
  course?: string[];
  /** The pull request of the run, and whether it waits for a review or is a draft. */
  request?: string;
  openIssues: string[];
  next: string[];
}

interface SummaryDecision {
  text: string;
  reason?: string;
  by: 'user' | 'agent' | 'assumed';
  /** UTC instant. */
  at: string;
}

/** Characters of an entry that somebody reads to know, not to act on. */
const ENTRY_LIMIT = 500;

/** summary.md and report.md. Parts with nothing in them are left out. */
export function renderRunSummary(summary: RunSummary, title = 'Summary'): string {
  const head = [
    `# ${title}`,
    '',
    `Goal: ${renderBounded(summary.goal) || 'none stated'}`,
    '',
    `Outcome: ${summary.outcome} (${summary.at})`,
  ];
  const parts = buildSummaryParts(summary, { shown: renderBounded, told: renderWhole }).map((part) => [
    `## ${part.title}`,
    '',
    ...part.lines.map((line) => `- ${line}`),
  ]);
  return `${[head, ...parts].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/**
 * The parts of a summary that hold something, in the order in which every rendering has them.
 * @param lines prepare one foreign line for where it is to stand: `told` what somebody has to act on, `shown` all else
 */
export function buildSummaryParts(
  summary: RunSummary,
  lines: { shown: (text: string) => string; told: (text: string) => string },
): { title: string; lines: string[] }[] {
  const decisions = summary.decisions.map(({ text, reason, by, at }) => {
    const why = reason === undefined ? '' : `, because ${lines.told(reason)}`;
    return `${lines.told(text)}${why} (${by}, ${at})`;
  });
  const parts: [string, string[]][] = [
    ['Done', summary.done.map(lines.shown)],
    ['Failed', (summary.failed ?? []).map(lines.told)],
    ['Skipped or degraded', (summary.skipped ?? []).map(lines.shown)],
    ['Commits', (summary.commits ?? []).map(lines.shown)],
    ['Approved', (summary.approvals ?? []).map(lines.shown)],
    ['On the way', (summary.course ?? []).map(lines.shown)],
    ['Pull request', summary.request === undefined ? [] : [lines.shown(summary.request)]],
    ['Decisions', decisions],
    ['Changed files', summary.changedFiles.map(lines.shown)],
    ['Verification', summary.verification.map(lines.shown)],
    ['Open issues', summary.openIssues.map(lines.told)],
    ['Next', summary.next.map(lines.told)],
  ];
  return parts.flatMap(([title, held]) => (held.length === 0 ? [] : [{ title, lines: held }]));
}

/** One line that opens no HTML. */
function renderBounded(text: string): string {
  return toBoundedLine(text, ENTRY_LIMIT).replaceAll('<', '&lt;');
}

/** The same, whole: what failed, what stays open and what was decided is acted on. */
function renderWhole(text: string): string {
  return toWholeLine(text).replaceAll('<', '&lt;');
}
