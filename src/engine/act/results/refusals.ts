import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import type { Invocation } from '../../../base/invocation.js';
import type { TaskState } from '../../../run/engine.js';
import { displayPath } from '../../../run/paths.js';
import type { Transaction } from '../../../run/transaction.js';
import { requireEngine } from '../plan/plan.js';
import { getResultPath } from '../prompts/dispatch.js';
import type { ReadResult } from './results.js';

/** `DATA_UNEXPECTED`: `--collect` was given with the action of a single task. */
export function oneTaskError(): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', '--collect is for a whole dispatch; this action is a single task.', {
    fix: 'Leave --collect out, or run the ack of the dispatch.',
  });
}

/** `EVIDENCE_MISSING`: the task has no result yet. */
export function resultMissingError(tx: Transaction, out: OpenTask, problem: string): DevCliError {
  const { actionId } = out;
  const path = displayResult(tx, actionId);
  return new DevCliError('EVIDENCE_MISSING', `The result of ${actionId} is missing: ${problem}.`, {
    details: [{ target: path, problem }],
    fix: `Wait until the task's agent has written ${path}, then repeat the acknowledgement. If the agent cannot, write the reason to the file that \`instead\` names, and run that command.`,
    instead: buildFailCommand(tx, actionId),
    pending: buildPendingTask(tx, actionId),
  });
}

/** `SCHEMA_INVALID`: the result is malformed, or leaves out something the task asked for. */
export function resultInvalidError(
  tx: Transaction,
  { actionId, task }: OpenTask,
  problems: ErrorDetail[],
): DevCliError {
  const path = displayResult(tx, actionId);
  return new DevCliError('SCHEMA_INVALID', `The result of ${actionId} is not valid; nothing of it was accepted.`, {
    details: problems.slice(0, 40).map((problem) => ({ target: path, ...problem })),
    fix: `Let the task's agent fix ${path}, then repeat the acknowledgement. Refused ${task.malformed} of ${MAX_REFUSALS} times; the last refusal fails the attempt.`,
    pending: buildPendingTask(tx, actionId),
  });
}

/** The advice for a result that does not list every changed path. */
const COMPLETE =
  'Put each path into `filesChanged` (the work of the todo) or `notMine` (not its work), or let the agent do it; then repeat the acknowledgement. It accepts the result in its form at that time, and paths that are still not listed stay uncommitted.';

/** `SCHEMA_INVALID`: the result is good, but does not list every changed path. */
export function resultIncompleteError(tx: Transaction, { actionId }: OpenTask, problems: ErrorDetail[]): DevCliError {
  const path = displayResult(tx, actionId);
  return new DevCliError('SCHEMA_INVALID', `The result of ${actionId} does not list everything that changed.`, {
    details: problems.map((problem) => ({ target: path, ...problem })),
    fix: COMPLETE,
    pending: buildPendingTask(tx, actionId),
  });
}

/** `SCHEMA_INVALID` or `EVIDENCE_MISSING`: `--collect` found no result to accept. */
export function noResultAcceptedError(details: ErrorDetail[], kinds: ReadonlySet<TaskResult['kind']>): DevCliError {
  const wrong = kinds.has('refused') || kinds.has('unlisted');
  const mend =
    'Wait for the running agents (end your turn if they run in the background), and let them fix what `details` lists. If a task has no agent any more, start a new one with its promptFile. Then repeat the acknowledgement.';
  return new DevCliError(
    wrong ? 'SCHEMA_INVALID' : 'EVIDENCE_MISSING',
    wrong ? 'The results so far are not valid; none was accepted.' : 'There is no result yet.',
    {
      details: details.slice(0, 40),
      fix: kinds.has('unlisted') ? (kinds.has('refused') ? `${mend} ${COMPLETE}` : COMPLETE) : mend,
    },
  );
}

/** Lists the faults of a result that is not accepted, each with its place in the file. */
export function listResultFaults(
  tx: Transaction,
  { actionId }: OpenTask,
  result: Exclude<TaskResult, { kind: 'good' }>,
): ErrorDetail[] {
  const target = displayResult(tx, actionId);
  if (result.kind === 'absent') return [{ target, problem: result.problem }];
  return result.problems.map((problem) => ({ target, ...problem }));
}

function displayResult(tx: Transaction, actionId: string): string {
  return displayPath(tx.place, tx.state.name, getResultPath(actionId));
}

function buildPendingTask(tx: Transaction, actionId: string) {
  return { actionId, ack: { command: 'step complete', input: { name: tx.state.name, action: actionId } } };
}

/** `DATA_UNEXPECTED`: `step fail` named the dispatch instead of one of its tasks. */
export function dispatchFailError(tx: Transaction): DevCliError {
  const [first] = Object.keys(requireEngine(tx).tasks);
  return new DevCliError('DATA_UNEXPECTED', 'A dispatch cannot fail as a whole; name the task that failed.', {
    ...(first === undefined ? {} : { fix: buildFailCommand(tx, first) }),
  });
}

function buildFailCommand(tx: Transaction, actionId: string): Invocation {
  const reason = `@${displayPath(tx.place, tx.state.name, `actions/${actionId}/reason.md`)}`;
  return { command: 'step fail', input: { name: tx.state.name, action: actionId, reason } };
}

/** Renders a fault in at most 300 characters. */
export function renderFault({ pointer, problem, at }: ErrorDetail): string {
  return [pointer ?? at, problem]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .slice(0, 300);
}

/** A task that an agent is working on. */
export interface OpenTask {
  actionId: string;
  task: TaskState;
}

/** A judged result. `unlisted`: valid, but it does not list every changed path. */
export type TaskResult = ReadResult | { kind: 'unlisted'; problems: ErrorDetail[] };

/** After this many refused results in a row, the attempt has failed (engine.md, Results). */
export const MAX_REFUSALS = 4;
