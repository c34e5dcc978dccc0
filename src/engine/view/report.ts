import { renderRequestBody } from '../../documents/request-text.js';
import { type RunSummary, renderRunSummary } from '../../documents/run-summary.js';
import type { RunEngine } from '../../run/engine.js';
import type { TodoState } from '../../run/engine-rows.js';
import { renderPullRequest } from '../../run/request.js';
import type { Transaction } from '../../run/transaction.js';
import { describeBranch, NO_SHA } from '../act/commit-message.js';
import { readPlanHead, requireEngine } from '../act/plan.js';
import { listChangedFiles } from './report/changes.js';
import { listDecisions, listRulingDecisions, renderApprovals } from './report/decisions.js';
import { renderNextSteps } from './report/next.js';
import { renderSkipped } from './report/skipped.js';
import { renderDoneTodo, renderFailedTodos } from './report/todos.js';
import { renderVerification } from './report/verification.js';

const REPORT = 'report.md';

const SUMMARY = 'summary.md';

/**
 * Writes report.md: what was done, on what evidence, and what was not (engine.md, Stages). The summary that the planning of
 * the name left tells of its end too from now on: both render one value.
 * @param aborted the run was ended by hand, wherever it stood
 */
export function writeReport(tx: Transaction, { aborted = false }: { aborted?: boolean } = {}): void {
  const request = renderPullRequest(tx.state);
  const summary = { ...buildExecutionSummary(tx, aborted), ...(request === null ? {} : { request }) };
  tx.files.write(REPORT, renderRunSummary(summary, 'Report'));
  if (tx.files.facts(SUMMARY).kind === 'file') tx.files.write(SUMMARY, renderRunSummary(summary));
}

/** The body of the run's pull request: the same value, before the request itself is told of it. */
export function renderRequestText(tx: Transaction): string {
  return renderRequestBody(buildExecutionSummary(tx, false));
}

/** What the execution of a plan came to, as the value that every report renders (documents.md, summary.md and report.md). */
function buildExecutionSummary(tx: Transaction, aborted: boolean): RunSummary {
  const engine = requireEngine(tx);
  const rows = engine.order.flatMap((id) => engine.todos[id] ?? []);
  const whole = rows.every(({ status }) => status === 'done') && engine.why === undefined;
  const outcome = aborted ? 'aborted' : whole ? 'completed' : 'halted';
  return {
    goal: tx.state.goal ?? readPlanHead(tx).context.originalRequest,
    outcome,
    at: tx.at,
    done: rows.filter(({ status }) => status === 'done').map((row) => renderDoneTodo(engine, row)),
    failed: renderFailedTodos(engine, rows),
    skipped: renderSkipped(tx, rows),
    commits: renderCommits(engine, rows),
    approvals: renderApprovals(tx),
    course: renderTurningPoints(engine),
    decisions: [...listDecisions(tx), ...listRulingDecisions(tx)],
    changedFiles: listChangedFiles(tx),
    verification: renderVerification(tx, rows),
    openIssues: [...new Set([...tx.state.warnings, ...engine.openIssues])],
    next: renderNextSteps(tx, outcome, rows),
  };
}

/** Commits that dev-cli made, each by its own name, and where they are. */
function renderCommits({ head }: RunEngine, rows: readonly TodoState[]): string[] {
  const made = rows.flatMap(({ id, commit, substeps }) => {
    if (commit !== undefined) return [`${id}: ${commit}`];
    return substeps['commit']?.status === 'done' ? [`${id}: ${NO_SHA}: a hook took its trailer away`] : [];
  });
  if (head === undefined || made.length === 0 || (head.branch === head.began && head.branch !== null)) return made;
  const moved = head.branch === head.began ? '' : `; the run began on ${describeBranch(head.began)}`;
  return [...made, `now on ${describeBranch(head.branch)}${moved}`];
}

/** Halts and what reopened them, what persons rejected or answered, files that were granted later: in order. */
function renderTurningPoints({ course = [] }: Pick<RunEngine, 'course'>): string[] {
  return course.map(({ at, kind, text }) => `${at}: ${kind}: ${text}`);
}
