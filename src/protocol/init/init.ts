import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { requireName } from '../../base/name.js';
import { findPlanGate } from '../../blocks/plan-gate.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { Job } from '../../jobs/job.js';
import { readCapturedOrEmpty, readCapturedRecipe } from '../../run/captured-recipe.js';
import { type Context, getDeadline } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { withSurroundings } from '../../run/surroundings.js';
import { closeTransaction, openTransaction, type Transaction } from '../../run/transaction.js';
import { getRunRecipe } from '../../run/workflow.js';
import type { StreamState } from '../../store/store.js';
import { type FoldedJournal, renderEnvelope } from '../../views/envelope.js';
import { mergeResults, startResult } from '../envelope.js';
import { findPendingId, findPlanDifference } from '../running.js';
import { runPendingJobs, stopJobs } from '../settle.js';
import { makeActive } from '../use.js';
import { describeWrittenOutputs, findPreviousRun, refuseSameGoal } from './existing-work.js';
import { GOAL_SHOWN, readFirstTree, requireIdentity, UNWATCHED_TREE } from './first-look.js';
import { checkNeeds } from './needs.js';
import { createState, startRun } from './new-run.js';
import { type InitInput, type PreparedRun, runExistsError } from './prepare.js';
import { prepareOrRestore, readExistingRun, resolveCommandApproval } from './prepare-inputs.js';

/**
 * `init`: starts a run and gives its first action, or resumes the one that is there (protocol.md §5).
 * @throws DevCliError `RUN_EXISTS`, `RUN_ACTIVE`, `RUN_SAME_GOAL`, `FILES_OVERLAP`, `GOAL_MISSING`, `MODE_CONTRADICTION`, `UNKNOWN_RECIPE`,
 * `RECIPE_INVALID`, `RECIPE_UNTRUSTED`, `UNKNOWN_PREFERENCE`, `NEEDS_MISSING`, `IDENTITY_MISSING`; a failed init leaves nothing
 * behind
 */
export async function init(context: Context, given: string, input: InitInput): Promise<Answer> {
  const until = getDeadline(context);
  const name = requireName(given);
  await refuseSecondRun(context, name, input);
  const present = await readExistingRun(context, name);
  const { settled, notices } = await prepareOrRestore(context, name, input);
  const asked = await checkNeeds(context, settled);
  const { prepared, unheard } = await resolveCommandApproval(context, asked.prepared, input);
  if (prepared.kind === 'new') await refuseSameGoal(context, name, input);
  const watch = prepared.kind === 'new' ? await readFirstTree(context) : UNWATCHED_TREE;
  if (prepared.kind === 'new' && watch.tree !== null) await requireIdentity(context, prepared.captured);
  let abandoned: Job[] = [];
  const told = await withSurroundings(
    context,
    (surroundings) =>
      context.store.transact<FoldedJournal>(name, (head) => {
        const resumable = findResumableRun(head, prepared, input);
        if (resumable !== null) {
          const tx = openTransaction(context, head, resumable, readCapturedRecipe(head), surroundings);
          tx.warnings.push(...resumable.recovered, ...head.notices);
          const moved = findPlanDifference(head);
          if (moved !== null) tx.warnings.push(moved);
          return { answer: buildResumeResult(tx, input) };
        }
        if (prepared.kind === 'resume') throw runEndedError();
        const state = createState(context, head, name, prepared, watch.tree);
        const earlier = findPreviousRun(context, head);
        const planGate = earlier === null ? null : findPlanGate(earlier, readCapturedOrEmpty(head));
        if (planGate !== null) state.planGate = planGate;
        const tx = openTransaction(context, head, state, prepared.captured, surroundings, earlier);
        tx.warnings.push(...notices, ...head.notices, ...prepared.warnings, ...watch.warnings, ...unheard);
        abandoned = startRun(tx, context, head, { ...asked, prepared }, surroundings);
        return closeTransaction(tx, head, { ...startResult(tx), status: 'initialized' });
      }),
    { tree: () => watch.tree },
  );
  await stopJobs(context, name, abandoned);
  const unbound = await bindSession(context, name);
  if (told.status === 'resumed' && isOfRoot(present)) await makeActive(context, name);
  const later = await runPendingJobs(context, name, until, findPendingId(present));
  const all = later === null ? told : mergeResults(told, later);
  return renderEnvelope({ ...all, warnings: [...all.warnings, ...unbound] });
}

/** The run is there by now: that its session cannot be bound to it is a warning, not a failed init. */
async function bindSession({ store, session }: Context, name: string): Promise<string[]> {
  try {
    if (session !== null) await store.bindSession(session, name);
    return [];
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return [`this session is not bound to the run, so name it in every command: ${error.message}`];
  }
}

/** @throws DevCliError `RUN_ACTIVE` when this session is bound to another unfinished run */
async function refuseSecondRun(context: Context, name: string, input: InitInput): Promise<void> {
  if (context.session === null || input.new === true) return;
  const bound = await context.store.session(context.session);
  if (bound === null || bound === name || !(await isRunLive(context, bound))) return;
  throw new DevCliError('RUN_ACTIVE', `This session is at work on "${bound}", which is not finished.`, {
    run: bound,
    fix: { command: 'next', input: { name: bound } },
    instead: { command: 'init', input: { name, ...input, new: true } },
  });
}

/** A run that cannot be read holds nobody back: its own commands tell what is wrong with it. */
async function isRunLive(context: Context, name: string): Promise<boolean> {
  try {
    return (await context.store.read(name)).snapshot?.status === 'live';
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}

/** The run that init continues: live or halted, of the same recipe, and not forced away. */
function findResumableRun(head: StreamState<RunState>, prepared: PreparedRun, input: InitInput): RunState | null {
  const { snapshot } = head;
  if (snapshot === null || input.force === true) return null;
  if (snapshot.status !== 'live' && snapshot.status !== 'halted') return null;
  if (getRunRecipe(snapshot) === prepared.recipe) return snapshot;
  throw runExistsError(snapshot);
}

function buildResumeResult(tx: Transaction, input: InitInput): FoldedJournal {
  const { goal } = tx.state;
  if (input.goal !== undefined && input.goal.trim() !== (goal ?? '').trim()) {
    const own = goal === null ? 'it has none' : JSON.stringify(toBoundedLine(goal, GOAL_SHOWN));
    tx.warnings.push(`another goal was given; the run keeps the one it began with: ${own}`);
  }
  tx.warnings.push(...describeWrittenOutputs(tx));
  if (input.set !== undefined) tx.warnings.push('--set changes nothing: the run keeps what it began with');
  return { ...startResult(tx), status: 'resumed' };
}

/** Whether the run belongs to the root itself, so that it can be the active one. */
function isOfRoot(state: RunState | null): boolean {
  return state !== null && state.origin === null && state.workTree === '.';
}

function runEndedError(): DevCliError {
  return new DevCliError('RUN_ENDED', 'The run ended while init was looking at it.', { fix: 'Run init again.' });
}
