import { type Detail, DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import type { TaskState } from '../../run/engine.js';
import { shownPath } from '../../run/paths.js';
import type { Turn } from '../../run/turn.js';
import { resultPath } from './dispatch.js';
import { engineOf } from './plan.js';
import type { FoundResult } from './results.js';

export function oneTask(_turn: Turn): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', '--collect takes every result; this action is one task.', {
    fix: 'Leave --collect out, or run the ack of the dispatch.',
  });
}

export function missing(turn: Turn, out: Out, problem: string): DevCliError {
  const { actionId } = out;
  const path = shownResult(turn, actionId);
  return new DevCliError('EVIDENCE_MISSING', `The result of ${actionId} is not there: ${problem}.`, {
    details: [{ target: path, problem }],
    fix: `Let the task's agent write ${path}, then repeat the acknowledgement. One that cannot: write why to the file that \`instead\` names, and run that.`,
    instead: failCommand(turn, actionId),
    pending: taskPending(turn, actionId),
  });
}

export function invalid(turn: Turn, { actionId, task }: Out, problems: Detail[]): DevCliError {
  const path = shownResult(turn, actionId);
  return new DevCliError('SCHEMA_INVALID', `The result of ${actionId} does not hold up; nothing of it is taken.`, {
    details: problems.slice(0, 40).map((problem) => ({ target: path, ...problem })),
    fix: `Let the task's agent mend ${path}, then repeat the acknowledgement. Refused ${task.malformed} of ${REFUSALS} times; the last is a failed attempt.`,
    pending: taskPending(turn, actionId),
  });
}

/** What is to be done about paths that a result leaves out. */
const COMPLETE =
  'Put each path into `filesChanged` (the work of the todo) or `notMine` (not its work), or let the agent do it; then repeat the acknowledgement, which takes the result as it is then and leaves uncommitted what it does not list.';

export function incomplete(turn: Turn, { actionId }: Out, problems: Detail[]): DevCliError {
  const path = shownResult(turn, actionId);
  return new DevCliError('SCHEMA_INVALID', `The result of ${actionId} does not list all that changed.`, {
    details: problems.map((problem) => ({ target: path, ...problem })),
    fix: COMPLETE,
    pending: taskPending(turn, actionId),
  });
}

export function nothingTaken(_turn: Turn, details: Detail[], kinds: ReadonlySet<Judged['kind']>): DevCliError {
  const wrong = kinds.has('refused') || kinds.has('unlisted');
  const mend =
    'Wait for the agents at work, and let them mend what is named; start one anew, with its promptFile, where nobody is at work on it. Then repeat the acknowledgement.';
  return new DevCliError(
    wrong ? 'SCHEMA_INVALID' : 'EVIDENCE_MISSING',
    wrong ? 'What is there does not hold up; nothing was taken.' : 'No result is there yet.',
    {
      details: details.slice(0, 40),
      fix: kinds.has('unlisted') ? (kinds.has('refused') ? `${mend} ${COMPLETE}` : COMPLETE) : mend,
    },
  );
}

/** What is wrong with the result of a task that stays out, each fault at its place. */
export function faultsOf(turn: Turn, { actionId }: Out, result: Exclude<Judged, { kind: 'good' }>): Detail[] {
  const target = shownResult(turn, actionId);
  if (result.kind === 'absent') return [{ target, problem: result.problem }];
  return result.problems.map((problem) => ({ target, ...problem }));
}

function shownResult(turn: Turn, actionId: string): string {
  return shownPath(turn.place, turn.state.name, resultPath(actionId));
}

function taskPending(turn: Turn, actionId: string) {
  return { actionId, ack: { command: 'step complete', input: { name: turn.state.name, action: actionId } } };
}

export function dispatchCannotFail(turn: Turn): DevCliError {
  const [first] = Object.keys(engineOf(turn).tasks);
  return new DevCliError('DATA_UNEXPECTED', 'A dispatch as a whole cannot fail; name the task that did.', {
    ...(first === undefined ? {} : { fix: failCommand(turn, first) }),
  });
}

function failCommand(turn: Turn, actionId: string): Invocation {
  const reason = `@${shownPath(turn.place, turn.state.name, `actions/${actionId}/reason.md`)}`;
  return { command: 'step fail', input: { name: turn.state.name, action: actionId, reason } };
}

export function lineOf({ pointer, problem, at }: Detail): string {
  return [pointer ?? at, problem]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .slice(0, 300);
}

/** A task that is out, by its action id. */
export interface Out {
  actionId: string;
  task: TaskState;
}

/** What a result comes to at the collect; `unlisted`: it holds up, and leaves out paths that changed. */
export type Judged = FoundResult | { kind: 'unlisted'; problems: Detail[] };

/** Results refused in a row before the task counts as a failed attempt. */
export const REFUSALS = 4;
