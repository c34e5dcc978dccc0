import { isRecord } from '../../base/json.js';
import { foreignLine } from '../../documents/foreign.js';
import { REQUEST_TITLE } from '../../documents/request-text.js';
import type { EngineJob } from '../../run/engine.js';
import { requestLine } from '../../run/request.js';
import { record, type Turn } from '../../run/turn.js';
import type { EngineEvent } from '../core/events.js';
import { requestBody } from '../view/report.js';
import { jobAtWork, settleRunning } from './job-at-work.js';

/**
 * The two ends, inside a transaction, of what an execution does with the pull request of its run (engine.md, state-begin and
 * state-complete). What lies between is protocol/pull-request-job.ts.
 */

/** At the end, in this order: each in a directory of its own below the action's, so that each is done once. */
export const REQUEST_STEPS = ['push', 'text', 'ready'] as const;

/** The body as it is to be, beside the logs of the steps. */
export const REQUEST_BODY_FILE = 'body.md';

/** How the forge was told. `ok` false: it was not, or not all of it. */
export interface RequestResult {
  ok: boolean;
  summary: string;
}

/** The job of the end. Its text is made here: it tells of the run as it stands now. */
export function completionJob(turn: Turn): EngineJob {
  const title = titleOf(turn);
  turn.files.write(`actions/a${turn.state.lastAction + 1}/${REQUEST_BODY_FILE}`, requestBody(turn));
  return {
    kind: 'pull-request',
    todo: null,
    stage: 'stateComplete',
    startedAt: turn.at,
    ...(title === '' ? {} : { title }),
  };
}

/** As the agent described it before the work; a person may have changed pr.json since. */
function titleOf({ files }: Turn): string {
  try {
    const text: unknown = JSON.parse(files.text('pr.json') ?? '');
    return isRecord(text) && typeof text['title'] === 'string' ? foreignLine(text['title'], REQUEST_TITLE) : '';
  } catch {
    return '';
  }
}

/**
 * The pull request was told, or could not be: the run goes on either way. That it does not show the work is a warning; that
 * a comment is missing is noted.
 */
export function pullRequestDone(turn: Turn, { ok, summary }: RequestResult): EngineEvent {
  const { engine, job } = jobAtWork(turn, 'pull-request');
  const { state } = turn;
  settleRunning(turn);
  engine.job = null;
  record(turn, 'stage', { todoId: null, stage: job.stage, outcome: ok ? 'done' : 'degraded', summary });
  if (job.stage === 'stateComplete') {
    if (ok && state.pullRequest !== undefined) state.pullRequest = { ...state.pullRequest, standing: 'ready' };
    const where = requestLine(state);
    const told = foreignLine(`${summary}${where === null ? '' : `: ${where}`}`, 700);
    turn.ran.push({ block: job.stage, ok, summary: told });
    if (!ok) warn(turn, `the pull request does not show the finished work: ${told}`);
  } else if (!ok) engine.openIssues.push(foreignLine(`pull request: ${summary}`, 500));
  return { type: 'OUTCOME', todo: null, stage: job.stage, verdict: { kind: 'pass' } };
}

function warn(turn: Turn, line: string): void {
  turn.state.warnings.push(line);
  turn.warnings.push(line);
}
