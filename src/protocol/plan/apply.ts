import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isEdited } from '../../documents/plan-boxes.js';
import { digestProposal, proposePlan } from '../../engine/act/apply-gate.js';
import { isUnbegun } from '../../engine/act/execute-effects.js';
import { findFileConflict } from '../../engine/act/overlap-check.js';
import { requireEngine } from '../../engine/act/plan.js';
import { type JudgedPlan, judgePlan } from '../../engine/act/plan-verdicts.js';
import { takeUpPlan, writePlanFiles, writeProposedPlan } from '../../engine/act/take-up-plan.js';
import type { EngineEvent } from '../../engine/core/events.js';
import { isInterrupted, isPastTodos } from '../../engine/core/moved-plan.js';
import { type Job, listJobs } from '../../jobs/job.js';
import { withdrawJobs } from '../../jobs/life.js';
import type { InputOf } from '../../registry/catalogue.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import { type Context, getDeadline } from '../../run/context.js';
import { getCurrent } from '../../run/current.js';
import type { RunEngine } from '../../run/engine.js';
import { createRestoredView } from '../../run/lost-documents.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { mayPlanDiffer } from '../../run/plan-digests.js';
import type { RunHead, RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { openTransaction, recordEntry, type Transaction } from '../../run/transaction.js';
import type { CallResult } from '../../views/call-result.js';
import { mergeResults, startResult } from '../envelope.js';
import { findPendingId, findRun, hasRunningJob } from '../find-run.js';
import { redoBlocks, requireEngineBlock } from '../invalidate.js';
import { asPerson } from '../person.js';
import { runPendingJobs, stopJobs } from '../settle.js';
import { advance, advanceEngine } from '../walk/advance.js';
import { reopenPhase } from '../walk/phases.js';
import { type PlanStatus, renderPlanAnswer, renderUnchanged } from './answer.js';
import { confirmPlan, requireAsShown, requirePersonInAutopilot } from './confirm.js';
import { applyToDocuments } from './documents.js';
import type { Revision } from './revision.js';

type Input = Omit<InputOf<'plan apply'>, 'name'>;

/** What is to be taken up. */
interface Change {
  /** Done todos that are to be done again. */
  reopen: readonly string[];
  /** What changes the plan beside its files. */
  revision: Revision | undefined;
}

interface Taken {
  result: CallResult;
  judged: JudgedPlan;
  status: PlanStatus;
  /** Jobs that were withdrawn and are still running. */
  abandoned: Job[];
  /** Tasks that were withdrawn. */
  withdrawn: string[];
}

/**
 * `plan apply`: takes up whichever of plan-content.json and PLAN.md was changed (living-plan.md, plan apply). In an
 * execution a person says yes to it: at a terminal at once, else at a gate.
 * @param given the run's name, if any
 * @param input.dryRun only says what would become of which todo
 * @param input.reopen done todos that are to be done again
 * @param revision a change that is to be taken up with what stands in the files; an agent's is written into them and proposed
 * @throws DevCliError `PLAN_CONFLICT`, `PLAN_EDITED`, `PLAN_MISSING`, `SCHEMA_INVALID`; `USAGE` for a todo to be reopened
 * that is not done; `FILES_OVERLAP`; `COMMIT_RUNNING`; `TERMINAL_REQUIRED` in autopilot, where no gate would be answered;
 * `INPUT_CHANGED` where the files changed while the person was asked
 */
export async function applyPlan(
  context: Context,
  given: unknown,
  { dryRun = false, reopen: asked = [] }: Input,
  revision?: Revision,
): Promise<Answer> {
  const until = getDeadline(context);
  const name = await findRun(context, given, !dryRun);
  const reopen = [...new Set(asked.map((id) => id.trim()))];
  const head = await createRestoredView(context).store.read(name);
  const { snapshot } = head;
  if (snapshot === null || !isExecuting(snapshot)) {
    if (reopen.length > 0) throw notDoneError(name, reopen);
    return applyToDocuments(context, head, name, { dryRun, revision });
  }
  const { engine } = getCurrent(snapshot);
  const mayDiffer = engine?.planMarks === undefined || mayPlanDiffer(engine, head.files);
  if (!mayDiffer && revision === undefined && reopen.length === 0 && engine?.proposed === undefined)
    return renderUnchanged(name, snapshot, dryRun);
  const person = context.caller.terminal === true;
  // An agent is answered by the transaction alone, unless it has to be refused before.
  const isSeen = dryRun || person || getCurrent(snapshot).mode['interaction'] === 'autopilot';
  const change = { reopen, revision };
  const shown = isSeen ? judgeShown(context, { ...head, snapshot }, change) : null;
  if (dryRun && shown !== null)
    return renderPlanAnswer({ name, status: 'judged', judged: shown.judged, ...(revision && { told: 'all' }) });
  const told = (await requireAgreement(context, snapshot, change, shown)) ? 'nothing' : 'verdicts';
  const acting = person ? asPerson(context) : context;
  const earlier = hasRunningJob(snapshot) ? await settle(acting, name, snapshot, until) : null;
  const taken = await transact(acting, name, (tx) => decide(tx, change, person ? (shown?.digests ?? null) : null));
  await stopJobs(acting, name, taken.abandoned);
  const later = await runPendingJobs(acting, name, person ? getDeadline(acting) : until, null);
  const results = [earlier, taken.result, later].filter((result) => result !== null);
  return renderPlanAnswer({ name, ...taken, result: results.reduce(mergeResults), told });
}

/** Whether the run carries out a plan, or can be reopened to do so. */
export function isExecuting({ status, ...state }: RunState): boolean {
  return (status === 'live' || status === 'halted') && getCurrent(state).engine !== null;
}

/** What the plan on disk means, as a question sees it. */
function judgeShown(context: Context, head: RunHead, change: Change) {
  const tx = openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
  const judged = judgeDone(tx, change);
  return { judged, digests: digestProposal(tx), isUnbegun: isBeforeWork(requireEngine(tx)) };
}

/**
 * Has the person at the terminal agree to a change of what runs, and refuses an agent whose gate nobody would answer.
 * @returns whether a person has seen the change and agreed to it
 */
async function requireAgreement(
  context: Context,
  state: RunState,
  change: Change,
  shown: ReturnType<typeof judgeShown> | null,
): Promise<boolean> {
  if (shown === null || !shown.judged.isMoved || shown.isUnbegun) return false;
  const isPerson = context.caller.terminal === true;
  if (isPerson) await confirmPlan(context, state, shown.judged, change.revision);
  else requirePersonInAutopilot(context, state, change);
  return isPerson;
}

/** @throws DevCliError `USAGE` for a todo to be reopened that is not done */
function judgeDone(tx: Transaction, { reopen, revision }: Change): JudgedPlan {
  const { todos } = requireEngine(tx);
  const others = reopen.filter((id) => {
    const row = Object.hasOwn(todos, id) ? todos[id] : undefined;
    return row === undefined || row.status !== 'done' || row.gone === true;
  });
  if (others.length > 0) throw notDoneError(tx.state.name, others);
  const judged = judgePlan(tx, reopen, revision?.read);
  const lost = reopen.filter((id) => judged.moved.gone.some((todo) => todo.id === id));
  if (lost.length > 0) throw notDoneError(tx.state.name, lost);
  return judged;
}

/** Nothing was carried out yet, and the plan or its commands are still to be approved: whoever is asked sees it as it is. */
function isBeforeWork(engine: RunEngine): boolean {
  const isAsked = engine.stage === 'approvePlan' || engine.stage === 'approveCommands';
  return isUnbegun(engine) && (isAsked || (engine.stage === 'ended' && engine.planApproved === null));
}

/** Records what has ended meanwhile; a commit at work is waited for. */
function settle(context: Context, name: string, state: RunState, until: number): Promise<CallResult | null> {
  const isCommit = getCurrent(state).engine?.job?.kind === 'commit';
  return runPendingJobs(context, name, isCommit ? until : context.clock.now(), findPendingId(state));
}

/**
 * Takes the plan on disk up, or has a person asked about it.
 * @param shown digests of what the person at the terminal has agreed to; null where nobody has
 */
function decide(tx: Transaction, change: Change, shown: Record<string, string | null> | null): Taken {
  const { reopen, revision } = change;
  if (!isExecuting(tx.state)) throw endedError(tx.state.name);
  const judged = judgeDone(tx, change);
  const answer = (status: PlanStatus, abandoned: Job[] = [], withdrawn: string[] = []): Taken => ({
    ...{ judged, status, abandoned, withdrawn },
    result: startResult(tx),
  });
  const engine = requireEngine(tx);
  const block = requireEngineBlock(tx);
  if (!judged.isMoved) {
    restoreFiles(tx, block, judged, revision);
    // What was proposed has been taken back.
    if (engine.proposed !== undefined)
      step(tx, block, { type: 'OUTCOME', todo: null, stage: 'applyPlan', verdict: { kind: 'skipped' } });
    return answer('unchanged');
  }
  const before = listJobs(tx.state);
  const tasks = Object.keys(engine.tasks);
  if (isBeforeWork(engine)) {
    writePlanFiles(tx, judged);
    recordEntry(tx, 'plan-applied', buildEntry(tx, block, judged));
    reopenPhase(tx);
    return answer('applied', redoBlocks(tx, block));
  }
  if (shown === null) {
    if (revision !== undefined) writeProposedPlan(tx, judged);
    const isSame = isAskedAbout(tx, reopen);
    if (!isSame) step(tx, block, proposePlan(tx, block, judged, reopen));
    return isSame ? { ...answer('proposed'), result: { ...startResult(tx), duplicate: true } } : answer('proposed');
  }
  requireAsShown(tx, shown);
  refuseAtCommit(tx, judged);
  const rows = judged.moved.todos.map(({ todo }) => ({ ...todo, status: engine.todos[todo.id]?.status ?? 'pending' }));
  const clash = findFileConflict(tx, rows);
  if (clash !== null) throw clash;
  step(tx, block, takeUpPlan(tx, block, judged));
  const kept = new Set(listJobs(tx.state).map(({ directory }) => directory));
  const abandoned = before.filter(({ directory }) => !kept.has(directory));
  withdrawJobs(tx, abandoned);
  const { tasks: left } = requireEngine(tx);
  return answer(
    'applied',
    abandoned,
    tasks.filter((id) => !Object.hasOwn(left, id)),
  );
}

/** The files say what runs, after changes that undo each other, or in the print of a formatter: they are written as ever. */
function restoreFiles(tx: Transaction, block: string, judged: JudgedPlan, revision: Revision | undefined): void {
  const shown = tx.files.text(PLAN);
  if (judged.disk.source === null && (shown === null || !isEdited(shown))) return;
  writePlanFiles(tx, judged);
  // Not `plan-applied`: that a person approved the plan before stays where the journal says so.
  if (revision !== undefined) recordEntry(tx, 'plan-proposed', { block, verdicts: [] });
  else recordEntry(tx, 'document', { command: 'plan apply', paths: [PLAN_CONTENT, PLAN], summary: 'what runs' });
}

/** Hands the engine an event; a halted run is reopened by it. */
function step(tx: Transaction, block: string, event: EngineEvent): void {
  if (tx.state.status === 'live') {
    advanceEngine(tx, [event]);
    return;
  }
  reopenPhase(tx);
  tx.current.lastError = null;
  advance(tx, { type: 'INVALIDATE', block }, event);
}

/** Whether a person is being asked about these very files, or will be. */
function isAskedAbout(tx: Transaction, reopen: readonly string[]): boolean {
  const { proposed } = requireEngine(tx);
  if (proposed === undefined || proposed.reopen.join() !== reopen.join()) return false;
  const pending = tx.state.pendingAction;
  if (requireEngine(tx).at?.stage !== 'applyPlan') return true;
  const now = digestProposal(tx);
  return Object.entries(pending?.handed ?? {}).every(([path, digest]) => now[path] === digest);
}

/** A commit that git is making belongs to a todo that has to be there when it is made. */
function refuseAtCommit(tx: Transaction, { verdicts }: JudgedPlan): void {
  const engine = requireEngine(tx);
  const { job } = engine;
  if (job?.kind !== 'commit') return;
  const isMeant =
    job.todo === null
      ? isPastTodos(engine)
      : verdicts.some(({ todo, verdict }) => todo === job.todo && isInterrupted(verdict));
  if (!isMeant) return;
  throw new DevCliError(
    'COMMIT_RUNNING',
    `git is making the commit of ${job.todo ?? 'what remained'}; nothing was applied.`,
    {
      fix: [
        'Wait for it, then repeat the command: ',
        { command: 'next', input: { name: tx.state.name, wait: tx.pollWait } },
      ],
    },
  );
}

function buildEntry(tx: Transaction, block: string, { disk, verdicts }: JudgedPlan) {
  return {
    block,
    source: disk.source ?? 'plan-content.json',
    verdicts: verdicts.filter(({ verdict }) => verdict !== 'same').map((one) => ({ ...one })),
    plan: tx.files.digest('plan-content.json'),
  };
}

function notDoneError(name: string, todos: readonly string[]): DevCliError {
  return new DevCliError(
    'USAGE',
    `Only done todos of the plan can be reopened; not done: ${todos.slice(0, 10).join(', ')}.`,
    {
      run: name,
      fix: ['To list them: ', { command: 'status', input: { name } }],
    },
  );
}

function endedError(name: string): DevCliError {
  return new DevCliError('RUN_ENDED', `The execution of "${name}" ended meanwhile.`, {
    run: name,
    fix: { command: 'plan apply', input: { name } },
  });
}
