import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import type { AckInput, AckResult } from '../../blocks/acknowledgement.js';
import { acknowledgeBlock, buildUnexpectedOptionError, refuseUnexpected } from '../../blocks/block-types.js';
import { buildNewGoalCommand, readAcknowledgedGoal, setRunGoal } from '../../blocks/goal.js';
import { warnChanges } from '../../blocks/values/inputs.js';
import { acknowledgeGate } from '../../engine/act/gates/answer.js';
import { acknowledgeTasks, type EngineAcknowledgement } from '../../engine/act/results/collect.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import { type Context, getDeadline } from '../../run/context.js';
import type { RunEngine } from '../../run/engine.js';
import { awaitsGoal } from '../../run/facts.js';
import { getErrorLocation, type PendingBlock } from '../../run/pending-action.js';
import { transact } from '../../run/transact.js';
import type { Transaction } from '../../run/transaction.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { addAckResult, listSourceWarnings, mergeResults, startResult } from '../envelope.js';
import { findPendingId, findPlanDifferenceOnDisk, findRun, hasWork } from '../find/find-run.js';
import type { runPendingJobs } from '../settle.js';
import { advance, advanceEngine, startRecipe } from '../walk/advance.js';
import { identifyAction } from './identify.js';

/**
 * `step complete` and `step fail`: acknowledges an action, checks and records its evidence, advances the run and
 * returns the next action, in one call (protocol.md §3).
 * @param given the run's name, if any
 * @param input.wait seconds to wait for results and running commands
 * @throws DevCliError for every refusal; the valid parts of the evidence are committed even then
 */
export async function stepComplete(
  context: Context,
  given: unknown,
  { wait, ...input }: AckInput & { wait?: number },
): Promise<Answer> {
  const name = await findRun(context, given, true);
  const awaited = input.collect === true && wait !== undefined;
  let found: Findings = { jobs: null, isAwaited: !awaited, goal: null };
  for (;;) {
    const done = await transact(
      context,
      name,
      (tx, pending) => findMissing(tx, found, { pending, input }) ?? decide(context, tx, { pending, input }),
    );
    switch (done.kind) {
      case 'jobs': {
        const earlier = await settleJobs(context, name, context.clock.now(), done.pendingId);
        found = { ...found, jobs: { earlier, pendingId: done.pendingId } };
        break;
      }
      case 'results': {
        const { awaitResults } = await import('../settle.js');
        await awaitResults(context, name, done.engine, getDeadline(context, wait));
        found = { ...found, isAwaited: true };
        break;
      }
      case 'goal': {
        const { refuseSameGoal } = await import('../init/existing-work.js');
        await refuseSameGoal(context, name, { goal: done.goal }, { instead: done.insisting });
        found = { ...found, goal: done.goal };
        break;
      }
      case 'decided': {
        const { result, callResult, isWaiting } = done;
        if (result.kind === 'refused') throw result.error;
        const { earlier, pendingId } = found.jobs ?? { earlier: null, pendingId: done.pendingId };
        const first = earlier === null ? callResult : mergeResults(earlier, callResult);
        const later = isWaiting ? await settleJobs(context, name, getDeadline(context, wait), pendingId) : null;
        return renderEnvelope(mergeResults(first, later), context);
      }
    }
  }
}

/** Facts that the call has established outside its transaction. */
interface Findings {
  /**
   * The result of settling the jobs that were running when the call began, and the id of the action that was pending
   * before; null as long as they have not been settled.
   */
  jobs: { earlier: CallResult | null; pendingId: string | null } | null;
  isAwaited: boolean;
  /** The goal, once no other run is known to have the same one. */
  goal: string | null;
}

/** A fact that must be established before the transaction can decide; nothing has been recorded yet. */
type Missing =
  /** Whether running jobs have ended: if one has, its block is no longer the pending one. */
  | { kind: 'jobs'; pendingId: string | null }
  /** Results that tasks have not yet handed in (`--collect --wait`). */
  | { kind: 'results'; engine: RunEngine }
  /** Whether another run already has the acknowledged goal (protocol.md §5). */
  | { kind: 'goal'; goal: string; insisting: Invocation };

function findMissing({ state }: Transaction, found: Findings, { pending, input }: Acknowledgement): Missing | null {
  if (found.jobs === null && hasWork(state)) return { kind: 'jobs', pendingId: findPendingId(state) };
  const action = state.pendingAction?.action;
  const { engine } = state;
  if (action === 'engine-dispatch' && engine !== null && !found.isAwaited) return { kind: 'results', engine };
  if (
    pending !== null &&
    awaitsGoal(state) &&
    found.goal === null &&
    (input.action ?? pending.action.actionId) === pending.action.actionId
  )
    return { kind: 'goal', goal: readAcknowledgedGoal(pending, input), insisting: buildNewGoalCommand(pending) };
  return null;
}

/** The outcome of the acknowledgement, and the result of the call so far. */
interface Decided {
  kind: 'decided';
  result: AckResult;
  callResult: CallResult;
  /** Whether dev-cli itself has work to do now: a job, or a deferred commit. */
  isWaiting: boolean;
  /** The action that was pending when the transaction began. */
  pendingId: string | null;
}

function decide(context: Context, tx: Transaction, given: Acknowledgement): Decided {
  const pendingId = findPendingId(tx.state);
  // A person who answers the question about a changed plan already knows that it changed.
  const isAsked = tx.state.engine?.at?.stage === APPLY_PLAN;
  const moved = isAsked ? null : findPlanDifferenceOnDisk(context, { snapshot: tx.state, files: tx.files });
  const result = acknowledge(tx, given);
  const located: AckResult =
    result.kind === 'refused' ? { ...result, error: result.error.inRun(getErrorLocation(tx)) } : result;
  const callResult = report(context, tx, located, moved?.line ?? null);
  return { kind: 'decided', result: located, callResult, isWaiting: hasWork(tx.state), pendingId };
}

/** Loaded on demand: most acknowledgements neither find a running job nor start one. */
const settleJobs: typeof runPendingJobs = async (...args) => (await import('../settle.js')).runPendingJobs(...args);

/**
 * Builds the call's result. Refusals carry no warnings: recoveries are reported by the next accepted acknowledgement.
 */
function report(context: Context, tx: Transaction, result: AckResult, moved: string | null): CallResult {
  if (result.kind !== 'refused') {
    tx.warnings.push(...tx.state.recovered);
    tx.state.recovered = [];
    warnMovedPlan(tx, moved);
  }
  const begun = startResult(tx);
  const callResult = result.kind === 'refused' ? begun : addAckResult(begun, result);
  return { ...callResult, warnings: [...callResult.warnings, ...listSourceWarnings(context, tx)] };
}

/** Warns once about each change to the plan on disk; `next` and `status` warn as long as the plan differs. */
function warnMovedPlan({ state: { engine }, warnings }: Transaction, moved: string | null): void {
  if (engine === null || moved === (engine.planMarks.told ?? null)) return;
  if (moved !== null) warnings.push(moved);
  const { told: _, ...rest } = engine.planMarks;
  engine.planMarks = moved === null ? rest : { ...rest, told: moved };
}

/** An acknowledgement as given, before any check. */
interface Acknowledgement {
  /** The pending action with its block. */
  pending: PendingBlock | null;
  input: AckInput;
}

/**
 * Acknowledges an action: identify → check evidence → save → record → advance (protocol.md §3).
 * @throws DevCliError for a refusal that changes nothing; if part of the evidence is valid, `refused` is returned
 * instead
 */
export function acknowledge(tx: Transaction, { pending: present, input }: Acknowledgement): AckResult {
  const dispatch = tx.state.pendingAction;
  if (dispatch?.action === 'engine-dispatch') {
    // A choice is never for a task. If its action is not part of the dispatch either, it can only answer an earlier
    // gate again, and `identifyAction` refuses anything else.
    if (input.choice !== undefined && input.action !== undefined && !isOut(tx, dispatch.actionId, input.action)) {
      identifyAction(tx, null, input);
      return { kind: 'duplicate' };
    }
    refuseUnexpected(input, ['data', 'choice', 'result', 'without']);
    warnChanges(tx);
    return advanceByEngine(tx, acknowledgeTasks(tx, dispatch, input));
  }
  const identified = identifyAction(tx, present, input);
  if (identified.kind === 'duplicate') return { kind: 'duplicate' };
  if (input.collect === true)
    throw buildUnexpectedOptionError('collect', 'Only tasks of an execution can be collected.');
  const { pending } = identified;
  if (pending.action.action === 'running') throw buildRunningError(tx, pending);
  if (awaitsGoal(tx.state)) {
    refuseUnexpected(input, ['choice', 'result', 'without']);
    setRunGoal(tx, pending, readAcknowledgedGoal(pending, input));
    startRecipe(tx);
    return { kind: 'completed', block: pending.block.id };
  }
  if (pending.block.kind === 'engine' && input.fail !== true) {
    warnChanges(tx);
    return advanceByEngine(tx, acknowledgeGate(tx, pending, input));
  }
  const { result, event } = acknowledgeBlock(tx, pending, input);
  if (event !== undefined) advance(tx, event);
  return result;
}

/** Whether an action is the pending dispatch or one of its tasks. */
function isOut({ state }: Transaction, dispatched: string, actionId: string): boolean {
  return actionId === dispatched || Object.hasOwn(state.engine?.tasks ?? {}, actionId);
}

/** Passes the results of tasks, or a person's answer to a gate, to the engine as events. */
function advanceByEngine(tx: Transaction, { result, events }: EngineAcknowledgement): AckResult {
  if (events !== undefined) advanceEngine(tx, events);
  return result;
}

function buildRunningError(tx: Transaction, pending: PendingBlock): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', 'dev-cli runs this command itself; there is nothing to acknowledge.', {
    fix: { command: 'next', input: { name: tx.state.name, wait: tx.pollWait } },
    pending: { actionId: pending.action.actionId },
  });
}
