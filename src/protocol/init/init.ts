import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { checkedName } from '../../base/name.js';
import { planGateOf } from '../../blocks/plan-gate.js';
import { foreignLine } from '../../documents/foreign.js';
import type { Job } from '../../jobs/job.js';
import { answerBy, type Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import type { Turn } from '../../run/turn.js';
import { recipeOfRun } from '../../run/workflow.js';
import type { Head } from '../../store/store.js';
import { envelope, type Told } from '../../views/envelope.js';
import { joined, toldBy } from '../envelope.js';
import { withRare } from '../rare.js';
import { pendingId } from '../running.js';
import { endJobs, settleJobs } from '../settle.js';
import { capturedOf, capturedOrNone, commitOf, movedLine, openTurn } from '../turns.js';
import { makeActive } from '../use.js';
import { firstLook, GOAL_SHOWN, NOT_WATCHED, requireIdentity } from './first-look.js';
import { askForNeeds } from './needs.js';
import { freshState, start } from './new-run.js';
import { type InitInput, type Prepared, runExists } from './prepare.js';
import { presentRun, settledCommands, settledRun } from './settled.js';
import { alreadyWritten, earlierRun, refuseSameGoal } from './under-way.js';

/**
 * `init`: starts a run and gives its first action, or resumes the one that is there (protocol.md §5).
 * @throws DevCliError `RUN_EXISTS`, `RUN_ACTIVE`, `RUN_SAME_GOAL`, `FILES_OVERLAP`, `GOAL_MISSING`, `MODE_CONTRADICTION`, `UNKNOWN_RECIPE`,
 * `RECIPE_INVALID`, `RECIPE_UNTRUSTED`, `UNKNOWN_PREFERENCE`, `NEEDS_MISSING`, `IDENTITY_MISSING`; a failed init leaves nothing
 * behind
 */
export async function init(context: Context, given: string, input: InitInput): Promise<Answer> {
  const until = answerBy(context);
  const name = checkedName(given);
  await refuseSecondRun(context, name, input);
  const present = await presentRun(context, name);
  const { settled, notices } = await settledRun(context, name, input);
  const asked = await askForNeeds(context, settled);
  const { prepared, unheard } = await settledCommands(context, asked.prepared, input);
  if (prepared.kind === 'new') await refuseSameGoal(context, name, input);
  const watch = prepared.kind === 'new' ? await firstLook(context) : NOT_WATCHED;
  if (prepared.kind === 'new' && watch.tree !== null) await requireIdentity(context, prepared.captured);
  let abandoned: Job[] = [];
  const told = await withRare(
    (rare) =>
      context.store.transact<Told>(name, (head) => {
        const resumable = resumableRun(head, prepared, input);
        if (resumable !== null) {
          const turn = openTurn(context, head, resumable, capturedOf(head, rare.recompile), rare);
          turn.warnings.push(...resumable.recovered, ...head.notices);
          const moved = movedLine(head, rare.planMoved);
          if (moved !== null) turn.warnings.push(moved);
          return { answer: resumed(turn, input) };
        }
        if (prepared.kind === 'resume') throw changedMeanwhile();
        const state = freshState(context, head, name, prepared, watch.tree);
        const earlier = earlierRun(context, head);
        const planGate = earlier === null ? null : planGateOf(earlier, capturedOrNone(head, rare.recompile));
        if (planGate !== null) state.planGate = planGate;
        const turn = openTurn(context, head, state, prepared.captured, rare, earlier);
        turn.warnings.push(...notices, ...head.notices, ...prepared.warnings, ...watch.warnings, ...unheard);
        abandoned = start(turn, context, head, { ...asked, prepared }, rare);
        return commitOf(turn, head, { ...toldBy(turn), status: 'initialized' });
      }),
    { context, known: { tree: () => watch.tree } },
  );
  await endJobs(context, name, abandoned);
  const unbound = await bindSession(context, name);
  if (told.status === 'resumed' && isOfRoot(present)) await makeActive(context, name);
  const later = await settleJobs(context, name, until, pendingId(present));
  const all = later === null ? told : joined(told, later);
  return envelope({ ...all, warnings: [...all.warnings, ...unbound] });
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
  if (bound === null || bound === name || !(await isUnfinished(context, bound))) return;
  throw new DevCliError('RUN_ACTIVE', `This session is at work on "${bound}", which is not finished.`, {
    run: bound,
    fix: { command: 'next', input: { name: bound } },
    instead: { command: 'init', input: { name, ...input, new: true } },
  });
}

/** A run that cannot be read holds nobody back: its own commands tell what is wrong with it. */
async function isUnfinished(context: Context, name: string): Promise<boolean> {
  try {
    return (await context.store.read(name)).snapshot?.status === 'live';
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}

/** The run that init continues: live or halted, of the same recipe, and not forced away. */
function resumableRun(head: Head<RunState>, prepared: Prepared, input: InitInput): RunState | null {
  const { snapshot } = head;
  if (snapshot === null || input.force === true) return null;
  if (snapshot.status !== 'live' && snapshot.status !== 'halted') return null;
  if (recipeOfRun(snapshot) === prepared.recipe) return snapshot;
  throw runExists(snapshot);
}

function resumed(turn: Turn, input: InitInput): Told {
  const { goal } = turn.state;
  if (input.goal !== undefined && input.goal.trim() !== (goal ?? '').trim()) {
    const own = goal === null ? 'it has none' : JSON.stringify(foreignLine(goal, GOAL_SHOWN));
    turn.warnings.push(`another goal was given; the run keeps the one it began with: ${own}`);
  }
  turn.warnings.push(...alreadyWritten(turn));
  if (input.set !== undefined) turn.warnings.push('--set changes nothing: the run keeps what it began with');
  return { ...toldBy(turn), status: 'resumed' };
}

/** Whether the run belongs to the root itself, so that it can be the active one. */
function isOfRoot(state: RunState | null): boolean {
  return state !== null && state.origin === null && state.workTree === '.';
}

function changedMeanwhile(): DevCliError {
  return new DevCliError('RUN_ENDED', 'The run ended while init was looking at it.', { fix: 'Run init again.' });
}
