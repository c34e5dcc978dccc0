import { renderRequestBody } from '../../documents/request-text.js';
import { type RunSummary, renderRunSummary } from '../../documents/run-summary.js';
import { requestLine } from '../../run/request.js';
import type { Turn } from '../../run/turn.js';
import { engineOf, planHead } from '../act/plan.js';
import { changedFiles } from './report/changes.js';
import { commitLines } from './report/commits.js';
import { courseLines } from './report/course.js';
import { approvals, decisions, ruled } from './report/decisions.js';
import { nextSteps } from './report/next.js';
import { skippedLines } from './report/skipped.js';
import { doneLine, failedLines } from './report/todos.js';
import { verification } from './report/verification.js';

const REPORT = 'report.md';
const SUMMARY = 'summary.md';

/**
 * Writes report.md: what was done, on what evidence, and what was not (engine.md, Stages). The summary that the planning of
 * the name left tells of its end too from now on: both render one value.
 * @param aborted the run was ended by hand, wherever it stood
 */
export function writeReport(turn: Turn, { aborted = false }: { aborted?: boolean } = {}): void {
  const request = requestLine(turn.state);
  const summary = { ...executionSummary(turn, aborted), ...(request === null ? {} : { request }) };
  turn.files.write(REPORT, renderRunSummary(summary, 'Report'));
  if (turn.files.facts(SUMMARY).kind === 'file') turn.files.write(SUMMARY, renderRunSummary(summary));
}

/** The body of the run's pull request: the same value, before the request itself is told of it. */
export function requestBody(turn: Turn): string {
  return renderRequestBody(executionSummary(turn, false));
}

/** What the execution of a plan came to, as the value that every report renders (documents.md, summary.md and report.md). */
function executionSummary(turn: Turn, aborted: boolean): RunSummary {
  const engine = engineOf(turn);
  const rows = engine.order.flatMap((id) => engine.todos[id] ?? []);
  const whole = rows.every(({ status }) => status === 'done') && engine.why === undefined;
  const outcome = aborted ? 'aborted' : whole ? 'completed' : 'halted';
  return {
    goal: turn.state.goal ?? planHead(turn).context.originalRequest,
    outcome,
    at: turn.at,
    done: rows.filter(({ status }) => status === 'done').map((row) => doneLine(engine, row)),
    failed: failedLines(engine, rows),
    skipped: skippedLines(turn, rows),
    commits: commitLines(engine, rows),
    approvals: approvals(turn),
    course: courseLines(engine),
    decisions: [...decisions(turn), ...ruled(turn)],
    changedFiles: changedFiles(turn),
    verification: verification(turn, rows),
    openIssues: [...new Set([...turn.state.warnings, ...engine.openIssues])],
    next: nextSteps(turn, outcome, rows),
  };
}
