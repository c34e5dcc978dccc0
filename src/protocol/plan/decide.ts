import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import type { ReadPlan } from '../../blocks/plan-on-disk.js';
import { isUnbegun } from '../../engine/act/execute-effects.js';
import { digestProposal, proposePlanOnDisk, rejectProposal } from '../../engine/act/gates/apply-gate.js';
import { findFileConflict } from '../../engine/act/plan/overlap-check.js';
import { requireEngine } from '../../engine/act/plan/plan.js';
import { adoptPlanOnDisk, writePlanFiles, writeProposedPlan } from '../../engine/act/plan/take-up.js';
import { type JudgedPlan, judgePlan } from '../../engine/act/plan/verdicts.js';
import type { EngineEvent } from '../../engine/core/events.js';
import { isInterrupted, isPastTodos } from '../../engine/core/moved-plan.js';
import { type Job, listJobs } from '../../jobs/job.js';
import { withdrawJobs } from '../../jobs/life.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import { isEdited } from '../../plan/page/boxes.js';
import type { RunEngine } from '../../run/engine.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import type { RunState } from '../../run/state.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import type { CallResult } from '../../views/action-text.js';
import { redoBlocks, requireEngineBlock } from '../control/invalidate.js';
import { startResult } from '../envelope.js';
import { advance, advanceEngine } from '../walk/advance.js';
import { reopenPhase } from '../walk/phases.js';
import type { PlanStatus } from './answer.js';

/** Decides on a change to the plan during an execution, in one transaction (living-plan.md, plan apply). */

/** The change to apply. */
export interface RequestedPlanChange {
  /** Done todos that are to be done again. */
  reopen: readonly string[];
  /** A change to the plan that is not yet in its files. */
  revision: Revision | undefined;
}

/** The outcome of applying, proposing or rejecting a change. */
export interface PlanOutcome {
  result: CallResult;
  judged: JudgedPlan;
  status: PlanStatus;
  /** Whether a proposal was withdrawn. */
  isWithdrawn: boolean;
  /** Jobs that were withdrawn and are still running. */
  abandoned: Job[];
  /** Tasks that were withdrawn. */
  withdrawn: string[];
}

/** Whether the run executes a plan, or can be reopened to do so. */
export function isExecuting({ status, ...state }: RunState): boolean {
  return (status === 'live' || status === 'halted') && state.engine !== null;
}

/** Judges the plan on disk. @throws DevCliError `USAGE` for a todo to be reopened that is not done; as `judgePlan` */
export function judgePlanOnDisk(tx: Transaction, { reopen, revision }: RequestedPlanChange): JudgedPlan {
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

/**
 * Whether no work has begun, and the plan or its commands await approval or were refused. A changed plan is then
 * applied without a separate question, because approving it is still to come.
 */
export function isBeforeWork(engine: RunEngine): boolean {
  const isAsked = engine.stage === 'approvePlan' || engine.stage === 'approveCommands';
  return isUnbegun(engine) && (isAsked || (engine.stage === 'ended' && engine.planApproved === null));
}

/** The plan about which the person at the terminal was asked. */
export interface ShownPlan {
  /** Digests of the plan's files. */
  digests: Record<string, string | null>;
  /** Time of the agent's proposal that the question was about; absent if it was about none. */
  proposedAt: string | undefined;
}

/**
 * Applies the plan on disk, or has a person asked about it.
 * @param shown the plan to which the person at the terminal has agreed; null if nobody has
 * @throws DevCliError as `judgePlanOnDisk`; `RUN_ENDED`, `INPUT_CHANGED`, `STALE_ACTION`, `COMMIT_RUNNING`,
 * `FILES_OVERLAP`
 */
export function applyPlanOrAsk(tx: Transaction, change: RequestedPlanChange, shown: ShownPlan | null): PlanOutcome {
  const { reopen, revision } = change;
  if (!isExecuting(tx.state)) throw endedError(tx.state.name);
  const judged = judgePlanOnDisk(tx, change);
  const answer = (status: PlanStatus, abandoned: Job[] = [], withdrawn: string[] = []): PlanOutcome => ({
    ...{ judged, status, abandoned, withdrawn, isWithdrawn: false },
    result: startResult(tx),
  });
  const engine = requireEngine(tx);
  const block = requireEngineBlock(tx);
  if (!judged.isMoved) {
    restoreFiles(tx, block, judged, revision);
    const isWithdrawn = engine.proposed !== undefined;
    if (isWithdrawn) step(tx, block, { type: 'OUTCOME', todo: null, stage: APPLY_PLAN, verdict: { kind: 'skipped' } });
    return { ...answer('unchanged'), isWithdrawn };
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
    if (!isSame) step(tx, block, proposePlanOnDisk(tx, block, judged, reopen));
    return isSame ? { ...answer('proposed'), result: { ...startResult(tx), duplicate: true } } : answer('proposed');
  }
  requireAsShown(tx, shown.digests);
  requireSameProposal(tx, shown);
  refuseAtCommit(tx, judged);
  const rows = judged.moved.todos.map(({ todo }) => ({ ...todo, status: engine.todos[todo.id]?.status ?? 'pending' }));
  const clash = findFileConflict(tx, rows);
  if (clash !== null) throw clash;
  step(tx, block, adoptPlanOnDisk(tx, block, judged));
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

/**
 * Turns down an agent's proposal; the files stay as they are.
 * @param shown.note the reason
 * @throws DevCliError `RUN_ENDED`; `STALE_ACTION` if somebody has decided meanwhile
 */
export function declineProposal(tx: Transaction, shown: ShownPlan & { note: string }): PlanOutcome {
  if (!isExecuting(tx.state)) throw endedError(tx.state.name);
  requireSameProposal(tx, shown);
  const judged = judgePlanOnDisk(tx, { reopen: requireEngine(tx).proposed?.reopen ?? [], revision: undefined });
  const block = requireEngineBlock(tx);
  const event = rejectProposal(tx, shown.note);
  recordEntry(tx, 'plan-rejected', { block, note: shown.note });
  step(tx, block, event);
  return { judged, status: 'rejected', abandoned: [], withdrawn: [], isWithdrawn: false, result: startResult(tx) };
}

/**
 * Requires that the files are unchanged since a person agreed to them.
 * @param shown their digests when the question was asked
 * @throws DevCliError `INPUT_CHANGED`
 */
function requireAsShown(tx: Transaction, shown: Record<string, string | null>): void {
  const now = digestProposal(tx);
  const changed = Object.keys(now).find((path) => now[path] !== shown[path]);
  if (changed === undefined) return;
  throw new DevCliError('INPUT_CHANGED', `${changed} changed after the question was asked.`, {
    details: [{ target: changed, problem: 'not as it was when the question was asked' }],
    fix: 'Nothing was applied. Repeat the command to be asked about the files as they are now.',
  });
}

/** Refuses a decision on a proposal that no longer exists or was replaced by another. */
function requireSameProposal(tx: Transaction, { proposedAt }: ShownPlan): void {
  if (proposedAt === undefined || requireEngine(tx).proposed?.at === proposedAt) return;
  const { name } = tx.state;
  throw new DevCliError('STALE_ACTION', `The proposal of the agent of "${name}" has already been decided.`, {
    run: name,
    fix: ['This answer changed nothing. To see the status of the run: ', { command: 'status', input: { name } }],
  });
}

/**
 * Writes the files in their standard form again. They contain the plan being carried out, but were reformatted, or
 * changed and changed back.
 */
function restoreFiles(tx: Transaction, block: string, judged: JudgedPlan, revision: Revision | undefined): void {
  const shown = tx.files.text(PLAN);
  if (judged.disk.source === null && (shown === null || !isEdited(shown))) return;
  writePlanFiles(tx, judged);
  // Not recorded as `plan-applied`, which would count as a new decision and replace a person's earlier approval.
  if (revision !== undefined) recordEntry(tx, 'plan-proposed', { block, verdicts: [] });
  else recordEntry(tx, 'document', { command: 'plan apply', paths: [PLAN_CONTENT, PLAN], summary: 'what runs' });
}

/** Passes an event to the engine; if the run is halted, the event reopens it. */
function step(tx: Transaction, block: string, event: EngineEvent): void {
  if (tx.state.status === 'live') {
    advanceEngine(tx, [event]);
    return;
  }
  reopenPhase(tx);
  tx.state.lastError = null;
  advance(tx, { type: 'INVALIDATE', block }, event);
}

/** Whether a person is being asked, or will be asked, about exactly the present files. */
function isAskedAbout(tx: Transaction, reopen: readonly string[]): boolean {
  const { proposed } = requireEngine(tx);
  if (proposed === undefined || proposed.reopen.join() !== reopen.join()) return false;
  const pending = tx.state.pendingAction;
  if (requireEngine(tx).at?.stage !== APPLY_PLAN) return true;
  const now = digestProposal(tx);
  return Object.entries(pending?.handed ?? {}).every(([path, digest]) => now[path] === digest);
}

/**
 * Refuses the change while git makes the commit of a todo that it affects, since the todo must still exist when the
 * commit is recorded.
 */
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
    `git is making the commit of ${job.todo ?? 'the remaining changes'}; nothing was applied.`,
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

/** Builds the error for reopening todos that are not done. */
export function notDoneError(name: string, todos: readonly string[]): DevCliError {
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
  return new DevCliError('RUN_ENDED', `The execution of "${name}" has ended.`, {
    run: name,
    fix: { command: 'plan apply', input: { name } },
  });
}

/** A change that a command makes to the plan, as opposed to one already in the files. */
export interface Revision {
  /** The command, for a person to repeat. */
  call: Invocation;
  /** Reads the plan from its files and changes it. */
  read: ReadPlan;
  /** Returns remarks for the person who decides; call it after `read`. */
  remarks?: () => readonly string[];
}
