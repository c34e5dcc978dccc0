import { foreignLine, wholeLine } from './foreign.js';

/** What a run came to; computed from its journal, rendered as summary.md and report.md (documents.md). */
export interface RunSummary {
  goal: string;
  outcome: 'live' | 'completed' | 'halted' | 'aborted';
  /** UTC instant of which all this is true: a run that halted can be reopened. */
  at: string;
  done: string[];
  /** Of an execution: who approved the plan and its commands. */
  approvals?: string[];
  decisions: Decision[];
  changedFiles: string[];
  verification: string[];
  /** What failed, and what it kept back. */
  failed?: string[];
  /** What was left out, or could only be done in part: not the same as done. */
  skipped?: string[];
  commits?: string[];
  /** Turns that the rest does not show: halts, rejections, what was allowed later. */
  course?: string[];
  openIssues: string[];
  next: string[];
}

interface Decision {
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
  const decisions = summary.decisions.map(({ text, reason, by, at }) => {
    const why = reason === undefined ? '' : `, because ${told(reason)}`;
    return `${told(text)}${why} (${by}, ${at})`;
  });
  const parts = [
    [
      `# ${title}`,
      '',
      `Goal: ${shown(summary.goal) || 'none stated'}`,
      '',
      `Outcome: ${summary.outcome} (${summary.at})`,
    ],
    part('Done', summary.done.map(shown)),
    part('Failed', (summary.failed ?? []).map(told)),
    part('Skipped or degraded', (summary.skipped ?? []).map(shown)),
    part('Commits', (summary.commits ?? []).map(shown)),
    part('Approved', (summary.approvals ?? []).map(shown)),
    part('On the way', (summary.course ?? []).map(shown)),
    part('Decisions', decisions),
    part('Changed files', summary.changedFiles.map(shown)),
    part('Verification', summary.verification.map(shown)),
    part('Open issues', summary.openIssues.map(told)),
    part('Next', summary.next.map(told)),
  ].filter((lines) => lines.length > 0);
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function part(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines.map((line) => `- ${line}`)];
}

/** One line that opens no HTML. */
function shown(text: string): string {
  return foreignLine(text, ENTRY_LIMIT).replaceAll('<', '&lt;');
}

/** The same, whole: what failed, what stays open and what was decided is acted on. */
function told(text: string): string {
  return wholeLine(text).replaceAll('<', '&lt;');
}
