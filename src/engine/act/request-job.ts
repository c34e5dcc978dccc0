import { toBoundedLine } from '../../documents/foreign.js';
import type { RequestEnded, RequestEnding } from '../../jobs/request.js';
import { renderPullRequest } from '../../run/request.js';
import { recordEntry, recordWarning, type Transaction } from '../../run/transaction.js';
import type { EngineEvent } from '../core/events.js';
import { closeRunningAction, requireJob } from './jobs.js';

/**
 * Records the result of a pull request job. The run continues even if the forge refused. If the pull request does not
 * show the finished work at the end, records a warning; if no comment could be added to it before that, adds an open
 * issue.
 * @throws DevCliError `INTERNAL` if no such job is running
 */
export function recordPullRequestResult(tx: Transaction, { ending }: RequestEnded): EngineEvent {
  const { engine, job } = requireJob(tx, 'pull-request');
  const { state } = tx;
  const ok = ending.kind === 'commented' || ending.kind === 'handed in';
  const summary = summarizeEnding(ending);
  closeRunningAction(tx);
  engine.job = null;
  recordEntry(tx, 'stage', { todoId: null, stage: job.stage, outcome: ok ? 'done' : 'degraded', summary });
  if (job.stage === 'stateComplete') {
    if (ok && state.pullRequest !== undefined) state.pullRequest = { ...state.pullRequest, standing: 'ready' };
    const where = renderPullRequest(state);
    const line = toBoundedLine(`${summary}${where === null ? '' : `: ${where}`}`, 700);
    tx.ran.push({ block: job.stage, ok, summary: line });
    if (!ok) recordWarning(tx, `the pull request does not show the finished work: ${line}`);
    if (ending.kind === 'handed in' && ending.unsaid !== undefined) {
      recordWarning(tx, toBoundedLine(`no comment was added to ${ending.issue ?? ''}: ${ending.unsaid}`, 700));
    }
  } else if (!ok) engine.openIssues.push(toBoundedLine(`pull request: ${summary}`, 500));
  return { type: 'OUTCOME', todo: null, stage: job.stage, verdict: { kind: 'pass' } };
}

function summarizeEnding(ending: RequestEnding): string {
  switch (ending.kind) {
    case 'commented':
      return 'gh pr comment';
    case 'handed in': {
      const told =
        ending.issue === undefined || ending.unsaid !== undefined ? '' : `, comment added to ${ending.issue}`;
      return `pushed ${ending.branch}, text updated, marked ready${told}`;
    }
    case 'not pushed':
      return toBoundedLine(`not pushed: ${ending.why}`, 300);
    case 'not ready':
      return toBoundedLine(`not marked ready: ${ending.why}`, 300);
    case 'waiting':
      return `not marked ready: the commit of ${ending.todos.slice(0, 5).join(', ')} is not made yet`;
    case 'moved':
      return `not marked ready: ${ending.branch} has moved since it was pushed`;
    case 'cut off':
      return `${ending.what} was cut off`;
    case 'vanished':
      return `${ending.what}: its records vanished`;
    case 'failed':
      return toBoundedLine(`${ending.what}: ${ending.how}`, 400);
  }
}
