import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { readPlanOnDisk } from '../../blocks/plan-on-disk.js';
import { digestProposal } from '../../engine/act/gates/apply-gate.js';
import { requireEngine } from '../../engine/act/plan/plan.js';
import type { InputOf } from '../../registry/catalogue.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import { type Context, getDeadline } from '../../run/context.js';
import { createRestoredView } from '../../run/documents/lost.js';
import { mayPlanDiffer } from '../../run/plan/digests.js';
import type { RunHead, RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { openTransaction } from '../../run/transaction.js';
import type { CallResult } from '../../views/action-text.js';
import { mergeResults } from '../envelope.js';
import { findPendingId, findRun, hasRunningJob } from '../find/find-run.js';
import { runPendingJobs, stopJobs } from '../settle.js';
import { toPersonContext } from '../trust/person.js';
import { renderPlanAnswer, renderUnchanged } from './answer.js';
import { confirmPlan, requirePersonInAutopilot } from './confirm.js';
import {
  applyPlanOrAsk,
  declineProposal,
  isBeforeWork,
  isExecuting,
  judgePlanOnDisk,
  notDoneError,
  type RequestedPlanChange,
  type Revision,
  type ShownPlan,
} from './decide.js';
import { applyToDocuments } from './documents.js';
import { findLateText, RECOVERABLE_CODES, textKeptError } from './edited-text.js';

type Input = Omit<InputOf<'plan apply'>, 'name'>;

/**
 * `plan apply`: applies whichever of plan-content.json and PLAN.md was changed (living-plan.md, plan apply). In an
 * execution a person must agree: at a terminal at once, otherwise at a gate.
 * @param given the run's name, if any
 * @param input.dryRun only determines the verdict for each todo
 * @param input.reopen done todos that are to be done again
 * @param revision a change to apply on top of the files' content; an agent's change is written into the files and
 * proposed
 * @throws DevCliError `PLAN_CONFLICT`, `PLAN_EDITED`, `PLAN_MISSING`, `SCHEMA_INVALID`; `USAGE` for a todo to be
 * reopened that is not done; `FILES_OVERLAP`; `COMMIT_RUNNING`; `TERMINAL_REQUIRED` in autopilot, where nobody answers
 * gates; `INPUT_CHANGED` if the files changed, `STALE_ACTION` if somebody else decided, while the person was asked
 */
export async function applyPlan(context: Context, given: unknown, input: Input, revision?: Revision): Promise<Answer> {
  const name = await findRun(context, given, !input.dryRun);
  // If an editor saved a text after its `plan edit` had ended, that text is applied now.
  const late = revision === undefined ? findLateText(context, name) : null;
  try {
    const answer = await applyRevision(context, name, input, late?.revision ?? revision);
    if (input.dryRun !== true) late?.place.discard();
    return answer;
  } catch (error) {
    const isKept = late !== null && error instanceof DevCliError && RECOVERABLE_CODES.includes(error.code);
    throw isKept ? textKeptError(name, error) : error;
  }
}

async function applyRevision(
  context: Context,
  name: string,
  { dryRun = false, reopen: asked = [] }: Input,
  revision: Revision | undefined,
): Promise<Answer> {
  const until = getDeadline(context);
  const named = [...new Set(asked.map((id) => id.trim()))];
  const head = await createRestoredView(context).store.read(name);
  const { snapshot } = head;
  if (snapshot === null || !isExecuting(snapshot)) {
    if (named.length > 0) throw notDoneError(name, named);
    return applyToDocuments(context, head, name, { dryRun, revision });
  }
  const { engine } = snapshot;
  const person = context.caller.terminal === true;
  // A person who names no todos decides on the agent's proposal, so the todos are those that the proposal reopens.
  const reopen = person && revision === undefined && named.length === 0 ? (engine?.proposed?.reopen ?? []) : named;
  const mayDiffer = engine?.planMarks === undefined || mayPlanDiffer(engine, head.files);
  if (!mayDiffer && revision === undefined && reopen.length === 0 && engine?.proposed === undefined)
    return renderUnchanged(name, snapshot, dryRun, context);
  // The change is judged beforehand only to show it (to a person, or for a dry run) or to refuse an agent in autopilot.
  const isSeen = dryRun || person || snapshot.mode['interaction'] === 'autopilot';
  const change = { reopen, revision };
  const shown = isSeen ? judgeShown(context, { ...head, snapshot }, change) : null;
  if (dryRun && shown !== null)
    return renderPlanAnswer(
      { name, status: 'judged', judged: shown.judged, ...(revision && { told: 'all' }) },
      context,
    );
  const said = await askPerson(context, snapshot, change, shown);
  const acting = person ? toPersonContext(context) : context;
  const earlier = hasRunningJob(snapshot) ? await settle(acting, name, snapshot, until) : null;
  const taken = await transact(acting, name, (tx) =>
    said?.kind === 'no' ? declineProposal(tx, said) : applyPlanOrAsk(tx, change, person ? shown : null),
  );
  await stopJobs(acting, name, taken.abandoned);
  const later = await runPendingJobs(acting, name, person ? getDeadline(acting) : until, null);
  const results = [earlier, taken.result, later].filter((result) => result !== null);
  const told = said === null ? 'verdicts' : 'nothing';
  return renderPlanAnswer({ name, ...taken, result: results.reduce(mergeResults), told }, context);
}

/**
 * Has the open question about a proposed plan asked again, about the present files. Withdraws the proposal if the files
 * match the plan being carried out.
 * @throws DevCliError as `applyPlan`
 */
export async function proposeAgain(context: Context, name: string): Promise<Answer> {
  const until = getDeadline(context);
  const acting = toPersonContext(context);
  const taken = await transact(acting, name, (tx) => {
    const reopen = requireEngine(tx).proposed?.reopen ?? [];
    return applyPlanOrAsk(tx, { reopen, revision: undefined }, null);
  });
  const later = await runPendingJobs(acting, name, until, null);
  return renderPlanAnswer(
    {
      name,
      ...taken,
      result: mergeResults(taken.result, later),
    },
    context,
  );
}

/** Judges the plan on disk in a transaction that is only read. */
function judgeShown(context: Context, head: RunHead, change: RequestedPlanChange) {
  const tx = openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
  const judged = judgePlanOnDisk(tx, change);
  const engine = requireEngine(tx);
  return { judged, digests: digestProposal(tx), proposedAt: engine.proposed?.at, isUnbegun: isBeforeWork(engine) };
}

/**
 * Asks the person at the terminal about a change of the running plan, and refuses an agent in autopilot, where nobody
 * would answer the gate.
 * @returns the person's answer; null if nobody was asked
 */
async function askPerson(
  context: Context,
  state: RunState,
  change: RequestedPlanChange,
  shown: ReturnType<typeof judgeShown> | null,
): Promise<{ kind: 'yes' } | ({ kind: 'no'; note: string } & ShownPlan) | null> {
  if (shown === null || !shown.judged.isMoved || shown.isUnbegun) return null;
  if (context.caller.terminal === true) {
    const note = await confirmPlan(context, state, shown.judged, change.revision);
    return note === null ? { kind: 'yes' } : { ...shown, kind: 'no', note };
  }
  requirePersonInAutopilot(context, state, change);
  return null;
}

/** Records jobs that have ended by now, and waits for a commit that is still being made. */
function settle(context: Context, name: string, state: RunState, until: number): Promise<CallResult | null> {
  const isCommit = state.engine?.job?.kind === 'commit';
  return runPendingJobs(context, name, isCommit ? until : context.clock.now(), findPendingId(state));
}

/**
 * Lets a person at the terminal apply an edited plan so that it can be executed (living-plan.md, plan apply). For any
 * other caller, throws the refusal.
 * @param refusal the error with which `init` refused the edited plan
 * @throws the refusal, or any error of `applyPlan`; `UNKNOWN_CHOICE` for any answer except yes
 */
export async function applyEditedPlan(context: Context, name: string, refusal: unknown): Promise<void> {
  const isEdited = refusal instanceof DevCliError && refusal.code === 'PLAN_EDITED';
  if (!isEdited || context.caller.terminal !== true) throw refusal;
  const call = { command: 'plan apply', input: { name } };
  const shown = await applyPlan(context, name, { dryRun: true }, { call, read: readPlanOnDisk });
  const difference = shown.text?.(({ command }) => `dev-cli ${command}`) ?? '';
  const typed = await context.ask(
    [`The plan of "${name}" was edited:`, '', difference, '', 'Type yes to apply it and carry it out: '].join('\n'),
  );
  if (!/^yes$/i.test(typed)) {
    throw new DevCliError('UNKNOWN_CHOICE', 'The edited plan was not applied; nothing was begun.', {
      run: name,
      fix: ['The files keep the edit. To apply it: ', call],
    });
  }
  await applyPlan(context, name, {});
}
