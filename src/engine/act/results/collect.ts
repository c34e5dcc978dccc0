// door: engine

import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import type { AckInput, AckResult, CollectedTask } from '../../../blocks/acknowledgement.js';
import { toWholeLine } from '../../../documents/foreign.js';
import type { JudgedResult } from '../../../documents/judge-result.js';
import type { EngineDispatchAction } from '../../../run/action.js';
import type { TaskState } from '../../../run/engine.js';
import { listRecipeStates } from '../../../run/facts.js';
import { recordEntry, type Transaction } from '../../../run/transaction.js';
import type { EngineEvent, StageResult } from '../../core/events.js';
import { nameForeignHistory } from '../commits/foreign-history.js';
import { assignUnclaimedChanges, findUnlistedPaths, recordListedPaths } from '../commits/listed-paths.js';
import { requireEngine } from '../plan/plan.js';
import { getResultPath } from '../prompts/dispatch.js';
import { changeTodo } from '../todo-rows.js';
import {
  dispatchFailError,
  listResultFaults,
  MAX_REFUSALS,
  noResultAcceptedError,
  type OpenTask,
  oneTaskError,
  renderFault,
  resultIncompleteError,
  resultInvalidError,
  resultMissingError,
  type TaskResult,
} from './refusals.js';
import { type ReadResult, readResult } from './results.js';
import { triageFindings, triageResult } from './stage-results.js';
import { buildStaleError } from './withdrawn-task.js';

/** How many unlisted paths a refusal names. */
const UNLISTED_SHOWN = 20;

/** The result of an acknowledgement in an execution, and the events that follow from it. */
export interface EngineAcknowledgement {
  result: AckResult;
  /** Events for the engine. Each is computed only after the previous one has been applied. */
  events?: Iterable<EngineEvent>;
}

type GoodResult = OpenTask & Extract<ReadResult, { kind: 'good' }>;
type FailedTask = OpenTask & { reason: string };

/**
 * Acknowledges one task or, if the dispatch is named, every task that has a result (protocol.md §3).
 * @throws DevCliError `STALE_ACTION`, `EVIDENCE_MISSING`, `DATA_MISSING`, `DATA_UNEXPECTED`, `USAGE`
 */
export function acknowledgeTasks(
  tx: Transaction,
  dispatch: EngineDispatchAction,
  input: AckInput,
): EngineAcknowledgement {
  const { tasks } = requireEngine(tx);
  const id = input.action ?? (input.step === undefined ? undefined : dispatch.actionId);
  if (id === undefined || (input.action !== undefined && input.step !== undefined)) {
    throw new DevCliError('USAGE', 'Name one action with --action, as the dispatch lists it.');
  }
  const task = Object.hasOwn(tasks, id) ? tasks[id] : undefined;
  if (task !== undefined) {
    if (input.collect === true) throw oneTaskError();
    return input.fail === true
      ? failTask(tx, dispatch, { actionId: id, task }, input.reason)
      : takeResult(tx, dispatch, { actionId: id, task });
  }
  if (id !== dispatch.actionId) {
    const isKnown = listRecipeStates(tx.state).some(({ acknowledged }) => Object.hasOwn(acknowledged, id));
    if (isKnown) return { result: { kind: 'duplicate' } };
    throw buildStaleError(tx, id, `The action ${JSON.stringify(id.slice(0, 40))} is not an open task.`);
  }
  if (input.fail === true) throw dispatchFailError(tx);
  return collectResults(tx, dispatch);
}

function takeResult(tx: Transaction, dispatch: EngineDispatchAction, out: OpenTask): EngineAcknowledgement {
  const found = judgeTaskResult(tx, out);
  const block = out.task.todoId === null ? out.task.substep : `${out.task.todoId}/${out.task.substep}`;
  switch (found.kind) {
    case 'absent':
      throw resultMissingError(tx, out, found.problem);
    case 'good':
      return { result: { kind: 'completed', block }, events: takeResults(tx, dispatch, [{ ...out, ...found }], []) };
    case 'unlisted':
      askForPaths(tx, out, found.problems);
      return { result: { kind: 'refused', error: resultIncompleteError(tx, out, found.problems) } };
    case 'refused': {
      const { now, lost } = refuse(tx, out, found);
      if (lost === null) return { result: { kind: 'refused', error: resultInvalidError(tx, now, found.problems) } };
      return { result: { kind: 'failed' }, events: takeResults(tx, dispatch, [], [lost]) };
    }
  }
}

/** Accepts all good results, in plan order. The other tasks stay open, and the answer gives the fault of each. */
function collectResults(tx: Transaction, dispatch: EngineDispatchAction): EngineAcknowledgement {
  const { tasks, order } = requireEngine(tx);
  const outs = Object.entries(tasks).map(([actionId, task]): OpenTask => ({ actionId, task }));
  const place = new Map(order.map((id, index) => [id, index]));
  const rankTask = ({ task }: OpenTask) => (task.todoId === null ? order.length : (place.get(task.todoId) ?? 0));
  const found = outs
    .sort((a, b) => rankTask(a) - rankTask(b))
    .map((out) => ({ out, result: judgeTaskResult(tx, out) }));
  const good = found.flatMap(({ out, result }): GoodResult[] =>
    result.kind === 'good' ? [{ ...out, ...result }] : [],
  );
  const lost: FailedTask[] = [];
  const collected: CollectedTask[] = [];
  const details: ErrorDetail[] = [];
  for (const { out, result } of found) {
    const row = { actionId: out.actionId, todoId: out.task.todoId };
    if (result.kind === 'good') {
      collected.push({ ...row, ok: true });
      continue;
    }
    const error = result.kind === 'absent' ? result.problem : renderFirstFault(result.problems);
    collected.push({ ...row, ok: false, error });
    details.push(...listResultFaults(tx, out, result));
    if (result.kind === 'absent') continue;
    if (result.kind === 'unlisted') {
      askForPaths(tx, out, result.problems);
      continue;
    }
    // If other results are collected and this bad one is unchanged, it is not counted as malformed again: its agent may
    // still be correcting it.
    if (good.length > 0 && out.task.refused === result.sha256) continue;
    const { lost: gone } = refuse(tx, out, result);
    if (gone !== null) lost.push(gone);
  }
  if (good.length + lost.length === 0) {
    const error = noResultAcceptedError(details, new Set(found.map(({ result }) => result.kind)));
    return { result: { kind: 'refused', error } };
  }
  return { result: { kind: 'collected', collected }, events: takeResults(tx, dispatch, good, lost) };
}

/** Judges a result. Asks once for changed paths among the todo's files that it does not list (engine.md, Results). */
function judgeTaskResult(tx: Transaction, { actionId, task }: OpenTask): TaskResult {
  const found = readResult(tx, actionId, task);
  if (found.kind !== 'good' || found.judged.kind !== 'worker' || task.todoId === null) return found;
  const { result } = found.judged;
  if (result.status !== 'DONE' || result.notMine !== undefined || task.askedForPaths === true) return found;
  const unlisted = findUnlistedPaths(tx, task.todoId, result);
  if (unlisted.length === 0) return found;
  const problems = unlisted.slice(0, UNLISTED_SHOWN).map((path) => ({
    pointer: '/filesChanged',
    problem: `${toWholeLine(JSON.stringify(path))} changed since the todo began and is listed neither in filesChanged nor in notMine`,
  }));
  const more = unlisted.length - problems.length;
  const rest = { pointer: '/filesChanged', problem: `and ${more} more; \`dev-cli check\` names them` };
  return { kind: 'unlisted', problems: more > 0 ? [...problems, rest] : problems };
}

/** Records that the agent was asked for the unlisted paths. This does not count as a malformed result. */
function askForPaths(tx: Transaction, out: OpenTask, problems: readonly ErrorDetail[]): void {
  recordRefusal(tx, changeTask(tx, out, { askedForPaths: true }), problems);
}

function changeTask(tx: Transaction, { actionId, task }: OpenTask, changes: Partial<TaskState>): OpenTask {
  const changed = { ...task, ...changes };
  requireEngine(tx).tasks[actionId] = changed;
  return { actionId, task: changed };
}

function recordRefusal(tx: Transaction, out: OpenTask, problems: readonly ErrorDetail[]): void {
  const told = problems.slice(0, 10).map(renderFault);
  recordEntry(tx, 'result-refused', { ...pickTaskFields(out), times: out.task.malformed, problems: told });
}

/**
 * Counts a malformed result. The fourth malformed result in a row ends the attempt (engine.md, Results).
 * @returns the changed task, and the failed task if the attempt has ended
 */
function refuse(
  tx: Transaction,
  out: OpenTask,
  { problems, sha256 }: Extract<ReadResult, { kind: 'refused' }>,
): { now: OpenTask; lost: FailedTask | null } {
  const now = changeTask(tx, out, { malformed: out.task.malformed + 1, refused: sha256 });
  recordRefusal(tx, now, problems);
  if (now.task.malformed < MAX_REFUSALS) return { now, lost: null };
  tx.files.keep(getResultPath(out.actionId));
  const [first] = problems.map(renderFault);
  return { now, lost: { ...now, reason: `${MAX_REFUSALS} results in a row that are not valid: ${first ?? ''}` } };
}

/** Carries out `step fail`: triage decides what follows. */
function failTask(
  tx: Transaction,
  dispatch: EngineDispatchAction,
  out: OpenTask,
  reason: string | undefined,
): EngineAcknowledgement {
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  return { result: { kind: 'failed' }, events: takeResults(tx, dispatch, [], [{ ...out, reason }]) };
}

/** Closes the tasks, records their results and returns the events for the engine. */
function takeResults(
  tx: Transaction,
  dispatch: EngineDispatchAction,
  good: readonly GoodResult[],
  lost: readonly FailedTask[],
): Iterable<EngineEvent> {
  const engine = requireEngine(tx);
  const { block } = dispatch;
  tx.state.acknowledged[dispatch.actionId] = { block };
  for (const { actionId, task } of [...good, ...lost]) {
    delete engine.tasks[actionId];
    tx.state.acknowledged[actionId] = { block, ...(task.todoId === null ? {} : { todo: task.todoId }) };
  }
  for (const one of good) recordResult(tx, one);
  for (const { reason, ...out } of lost)
    recordEntry(tx, 'task-failed', { ...pickTaskFields(out), reason: reason.slice(0, 1000) });
  const worked = [...good, ...lost].some(({ task }) => task.substep === 'worker');
  if (worked && !Object.values(engine.tasks).some(({ substep }) => substep === 'worker')) {
    assignUnclaimedChanges(tx);
    nameForeignHistory(tx);
  }
  return yieldOutcomes(tx, good, lost);
}

/** Is a generator, because the triage of a task depends on changes made by the events of the tasks before it. */
function* yieldOutcomes(
  tx: Transaction,
  good: readonly GoodResult[],
  lost: readonly FailedTask[],
): Generator<EngineEvent> {
  for (const { task, judged } of good) yield buildOutcome(task, triageResult(tx, task, judged));
  for (const { task, reason } of lost) {
    const why = toWholeLine(`${task.substep}: ${reason}`);
    const verdict: StageResult =
      task.todoId === null ? { kind: 'fail', why } : triageFindings(tx, task.todoId, { failed: [why] });
    yield buildOutcome(task, verdict);
  }
}

function buildOutcome({ todoId, substep }: TaskState, verdict: StageResult): EngineEvent {
  return {
    type: 'OUTCOME',
    todo: todoId,
    stage: substep,
    ...(substep === 'verify' ? { part: 'judge' as const } : {}),
    verdict,
  };
}

function recordResult(tx: Transaction, { actionId, task, judged, sha256 }: GoodResult): void {
  const path = getResultPath(actionId);
  tx.files.keep(path);
  if (judged.kind === 'worker' && task.todoId !== null) {
    recordListedPaths(tx, task.todoId, judged.result);
    if (judged.result.status === 'DONE') changeTodo(requireEngine(tx), task.todoId, { report: judged.result });
  }
  recordEntry(tx, 'task-done', {
    ...pickTaskFields({ actionId, task }),
    status: getResultStatus(judged),
    summary: judged.result.summary.slice(0, 300),
    evidence: { [path]: sha256 },
  });
}

function getResultStatus(judged: JudgedResult): string {
  return judged.kind === 'code-review' ? judged.result.verdict : judged.result.status;
}

function pickTaskFields({ actionId, task: { todoId, substep, attempt } }: OpenTask) {
  return { actionId, todoId, substep, attempt };
}

function renderFirstFault(problems: readonly ErrorDetail[]): string {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${problems[0] === undefined ? 'is not valid' : renderFault(problems[0])}${more}`;
}
