// shared: common

import { renderCount } from '../base/words.js';
import { renderForeignBlock, toBoundedLine, toWholeLine } from './foreign.js';

/**
 * The results of a run, computed from its journal and rendered as summary.md and report.md (documents.md, summary.md
 * and report.md).
 */
export interface RunSummary {
  goal: string;
  outcome: 'live' | 'completed' | 'halted' | 'aborted';
  /** UTC instant at which the summary was true; a halted run can be reopened later. */
  at: string;
  /** For executions of a plan with requirements: each requirement with its proof and whether it is met. */
  requirements?: SummaryRequirement[];
  /** Executions only: changes to the plan that a person has made or approved during the execution. */
  changed?: string[];
  done: string[];
  /** Executions only: who approved the plan and its commands. */
  approvals?: string[];
  decisions: SummaryDecision[];
  changedFiles: string[];
  /** Documents that the recipe itself defines and the run has written, relative to the run's directory. */
  documents?: string[];
  verification: string[];
  /** Failed work, and the work that could not begin because of it. */
  failed?: string[];
  /** Work that was left out or done only in part. */
  skipped?: string[];
  /** Assumptions of the plan that nobody has confirmed. */
  unconfirmed?: string[];
  commits?: string[];
  /** Executions only: the saved reports of earlier executions of this name, and their commits. */
  earlier?: string[];
  /** Turning points that no other part shows, such as a halt, a rejection, or files that a todo was granted later. */
  course?: string[];
  /** The pull request of the run, and whether it waits for a review or is a draft. */
  request?: string;
  /** Executions only: the cost of the run, as far as the journal records it. */
  cost?: string;
  openIssues: string[];
  /** The next steps for the user. */
  next: string[];
}

/** A requirement at the end of an execution (engine.md, Requirements at the end). */
export interface SummaryRequirement {
  id: string;
  text: string;
  /** The proof, such as `todo-1 ac-1: npm test`. */
  proof: string;
  /** `met`, `not met`, `open` or `withdrawn`, with a reason if there is one. */
  result: string;
}

interface SummaryDecision {
  text: string;
  reason?: string;
  by: 'user' | 'agent' | 'assumed';
  /** UTC instant; absent for decisions of the plan, which do not record a time. */
  at?: string;
}

/** Maximum number of characters of an entry that is only informative, so that it may be cut. */
const ENTRY_LIMIT = 500;

/** The last lines of a command's output, for the report. */
export interface LogEnd {
  /** The command, and how it ended. */
  title: string;
  text: string;
}

/**
 * Renders the whole summary: summary.md after planning, or report.md under another title. Empty parts are left out.
 * @param logs the last lines of commands' outputs, shown folded below the evidence
 */
export function renderRunSummary(summary: RunSummary, title = 'Summary', logs: readonly LogEnd[] = []): string {
  const parts = buildSummaryParts(summary, { bounded: renderBounded, whole: renderWhole }).map(renderSummaryPart);
  const folded = logs.length === 0 ? [] : [['## Ends of the logs', '', ...logs.flatMap(renderLogEnd)]];
  return joinLines([renderHead(summary, title), ...parts, ...folded]);
}

/** The parts of the brief summary, which is for a colleague who reads only half a page. */
const BRIEF: ReadonlySet<string> = new Set([
  'Failed',
  'For you to confirm',
  'Open issues',
  'Done',
  'Decisions',
  'Pull request',
  'Next',
]);
/** Maximum number of lines of each part of the brief summary, and of characters of a line. */
const BRIEF_LINES = 4;
const BRIEF_LIMIT = 200;

/**
 * Renders summary.md beside a report: half a page, with a link to the report.
 * @param report path of the report, relative to summary.md
 */
export function renderBriefSummary(summary: RunSummary, report: string): string {
  const { requirements = [], commits = [], changedFiles } = summary;
  const met = requirements.filter(({ result }) => /^met\b/.test(result)).length;
  const counts = [
    ...(requirements.length === 0 ? [] : [`${met} of ${renderCount(requirements.length, 'requirement')} met`]),
    renderCount(changedFiles.length, 'changed file'),
    renderCount(commits.length, 'commit'),
  ];
  const line = (text: string) => toBoundedLine(text, BRIEF_LIMIT).replaceAll('<', '&lt;');
  const parts = buildSummaryParts(summary, { bounded: line, whole: line }).flatMap((part) => {
    if (part.kind !== 'list' || !BRIEF.has(part.title)) return [];
    const more = part.lines.length - BRIEF_LINES;
    const lines = [...part.lines.slice(0, BRIEF_LINES), ...(more > 0 ? [`and ${more} more`] : [])];
    return [renderSummaryPart({ ...part, lines })];
  });
  const head = [...renderHead(summary, 'Summary'), '', `${counts.join(', ')}. All of it: [${report}](${report})`];
  return joinLines([head, ...parts]);
}

function renderHead({ goal, outcome, at }: RunSummary, title: string): string[] {
  return [`# ${title}`, '', `Goal: ${renderBounded(goal) || 'none stated'}`, '', `Outcome: ${outcome} (${at})`];
}

function joinLines(parts: readonly string[][]): string {
  return `${parts.map((lines) => lines.join('\n').trimEnd()).join('\n\n')}\n`;
}

function renderLogEnd({ title, text }: LogEnd): string[] {
  const block = renderForeignBlock(text, { label: 'output' });
  return ['<details>', `<summary>${renderBounded(title)}</summary>`, '', block, '', '</details>', ''];
}

/** A part of a summary: lines, or the rows of a table. */
export type SummaryPart = { title: string } & (
  | { kind: 'list'; lines: string[] }
  | { kind: 'table'; head: readonly string[]; rows: string[][] }
  /** Evidence, which is folded because few readers need it. */
  | { kind: 'folded'; lines: string[] }
);

/** Renders a part as Markdown. Its lines must already be prepared for the document. */
export function renderSummaryPart(part: SummaryPart): string[] {
  const head = [`## ${part.title}`, ''];
  switch (part.kind) {
    case 'list':
      return [...head, ...part.lines.map((line) => `- ${line}`)];
    case 'table':
      return [
        ...head,
        `| ${part.head.join(' | ')} |`,
        `|${part.head.map(() => ' --- |').join('')}`,
        ...part.rows.map((row) => `| ${row.join(' | ')} |`),
      ];
    case 'folded':
      return [
        ...head,
        '<details>',
        `<summary>${renderCount(part.lines.length, 'line')}</summary>`,
        '',
        ...part.lines.map((line) => `- ${line}`),
        '',
        '</details>',
      ];
  }
}

/**
 * Builds the parts of a summary that are not empty, in the order that all renderings share: requirements, matters that
 * need attention, work done, the course of the run, and the evidence.
 * @param lines functions that prepare a foreign line for the document: `whole` for lines that somebody has to act on,
 * `bounded` for all others
 */
export function buildSummaryParts(
  summary: RunSummary,
  lines: { bounded: (text: string) => string; whole: (text: string) => string },
): SummaryPart[] {
  const decisions = summary.decisions.map(({ text, reason, by, at }) => {
    const why = reason === undefined ? '' : `, because ${lines.whole(reason)}`;
    const said = reason === undefined ? lines.whole(text) : lines.whole(text).replace(/\.$/, '');
    return `${said}${why} (${at === undefined ? `${by}, in the plan` : `${by}, ${at}`})`;
  });
  const cell = (text: string) => lines.bounded(text).replace(/(?<!\\)\|/g, '\\|');
  const requirements = (summary.requirements ?? []).map(({ id, text, proof, result }) =>
    [id, text, proof, result].map(cell),
  );
  const list = (title: string, held: string[]): SummaryPart => ({ kind: 'list', title, lines: held });
  const parts: SummaryPart[] = [
    { kind: 'table', title: 'Requirements', head: ['', 'Requirement', 'Proof', 'Result'], rows: requirements },
    list('Changed on the way', (summary.changed ?? []).map(lines.whole)),
    list('Failed', (summary.failed ?? []).map(lines.whole)),
    list('For you to confirm', (summary.unconfirmed ?? []).map(lines.whole)),
    list('Open issues', summary.openIssues.map(lines.whole)),
    list('Skipped or degraded', (summary.skipped ?? []).map(lines.bounded)),
    list('Done', summary.done.map(lines.bounded)),
    list('Commits', (summary.commits ?? []).map(lines.bounded)),
    list('Earlier executions', (summary.earlier ?? []).map(lines.bounded)),
    list('Approved', (summary.approvals ?? []).map(lines.bounded)),
    list('On the way', (summary.course ?? []).map(lines.bounded)),
    list('Pull request', summary.request === undefined ? [] : [lines.bounded(summary.request)]),
    list('Cost', summary.cost === undefined ? [] : [lines.bounded(summary.cost)]),
    list('Decisions', decisions),
    list('Documents', (summary.documents ?? []).map(lines.bounded)),
    list('Changed files', summary.changedFiles.map(lines.bounded)),
    { kind: 'folded', title: 'Verification', lines: summary.verification.map(lines.bounded) },
    list('Next', summary.next.map(lines.whole)),
  ];
  return parts.filter((part) => (part.kind === 'table' ? part.rows : part.lines).length > 0);
}

/** Renders a bounded line, in which `<` is escaped so that no HTML tag opens. */
function renderBounded(text: string): string {
  return toBoundedLine(text, ENTRY_LIMIT).replaceAll('<', '&lt;');
}

/** Renders an uncut line, for entries that have to be acted on: failures, open issues, decisions. */
function renderWhole(text: string): string {
  return toWholeLine(text).replaceAll('<', '&lt;');
}
