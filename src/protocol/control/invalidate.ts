import type { Answer } from '../../base/answer.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { findChangedArtifact } from '../../blocks/choice.js';
import { findFileConflict } from '../../engine/act/plan/overlap-check.js';
import { requireEngine } from '../../engine/act/plan/plan.js';
import { recordRuling, WHOLE_RUN } from '../../engine/act/prompts/rulings.js';
import { listDependents } from '../../engine/core/scheduler.js';
import { type Job, listJobs } from '../../jobs/job.js';
import { withdrawAll, withdrawJobs } from '../../jobs/life.js';
import { canInvalidate } from '../../machine/position.js';
import type { InputOf } from '../../registry/catalogue.js';
import { type Context, getDeadline } from '../../run/context.js';
import { awaitsGoal } from '../../run/facts.js';
import { transact } from '../../run/transact.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { refuseOtherPhase, resolveBlockId } from '../acknowledge/identify.js';
import { mergeResults, startResult } from '../envelope.js';
import { findRun } from '../find/find-run.js';
import { runPendingJobs, stopJobs } from '../settle.js';
import { advance } from '../walk/advance.js';
import { forgetAcknowledgements, reopenPhase } from '../walk/phases.js';

/**
 * `step invalidate`: gives a block a new action at once and has the finished blocks after it redone, or gives todos
 * another attempt. Documents stay, and a halted run is reopened (protocol.md §3). For a block, repeating the call at
 * once is a duplicate, because the first answer may have been lost.
 * @param given the run's name, if any
 * @param input.step a block by id or unique prefix, or todos of the running plan, separated by commas
 * @param input.note a ruling that the next attempt must follow; for a todo, all later attempts
 * @throws DevCliError `NOT_REACHED`, `UNKNOWN_BLOCK`, `PHASE_ENDED`, `RUN_ENDED`, `USAGE`, `FILES_OVERLAP`
 */
export async function stepInvalidate(
  context: Context,
  given: unknown,
  { step, note }: Omit<InputOf<'step invalidate'>, 'name'>,
): Promise<Answer> {
  const until = getDeadline(context);
  const name = await findRun(context, given, true);
  const { result, abandoned } = await transact(context, name, (tx): { result: CallResult; abandoned: Job[] } => {
    if (awaitsGoal(tx.state)) throw notBegunError(name);
    const target = resolveTarget(tx, step);
    if (isJustInvalidated(tx, target, note)) return { result: { ...startResult(tx), duplicate: true }, abandoned: [] };
    const running = invalidate(tx, target, note);
    return { result: startResult(tx), abandoned: running };
  });
  await stopJobs(context, name, abandoned);
  const later = await runPendingJobs(context, name, until, null);
  return renderEnvelope(mergeResults({ ...result, status: 'invalidated' }, later), context);
}

function notBegunError(name: string): DevCliError {
  return new DevCliError('NOT_REACHED', `"${name}" waits for its goal: none of its steps has begun.`, {
    run: name,
    fix: { command: 'next', input: { name } },
  });
}

/** The work to be redone. */
interface Target {
  block: string;
  /** Todos of the plan that the block executes; null for the block itself. */
  todos: string[] | null;
}

/**
 * Resolves `--step` to a block or todos. @throws DevCliError `UNKNOWN_BLOCK`, `PHASE_ENDED`, `NOT_REACHED`; `USAGE` for
 * a block among todos
 */
function resolveTarget(tx: Transaction, step: string): Target {
  const known = tx.state.engine?.todos ?? {};
  const words = [...new Set(step.split(',').map((word) => word.trim()))];
  const others = words.filter((word) => !Object.hasOwn(known, word));
  const [other] = others;
  if (other === undefined) return { block: requireEngineBlock(tx), todos: words };
  refuseOtherPhase(tx, other);
  const block = resolveBlockId(tx, other, tx.state.engine?.order);
  if (words.length === 1) return { block, todos: null };
  throw new DevCliError('USAGE', `"${block}" is a block; only todos can be redone together.`, {
    fix: 'Name one block, or todos of the plan separated by commas.',
  });
}

/** Whether the run's newest entry already records this invalidation, and the block's new action is still pending. */
function isJustInvalidated(tx: Transaction, { block, todos }: Target, note: string | undefined): boolean {
  const { pendingAction: pending, events } = tx.state;
  if (todos !== null || pending?.cause !== 'invalidate') return false;
  if (pending.action === 'running' || pending.action === 'done') return false;
  // A gate whose artifact has changed must ask again, about the present artifact.
  if (findChangedArtifact(tx, pending) !== null) return false;
  if (events.at(-1)?.seq !== pending.issuedSeq || pending.block !== block) return false;
  return note === undefined || tx.files.text(rulingFile(pending.actionId)) === note;
}

/**
 * Has todos of the running plan done again, with those that depend on them.
 * @returns the withdrawn jobs, which are still running
 * @throws DevCliError as `stepInvalidate`
 */
export function reopenTodos(tx: Transaction, todos: string[], note: string | undefined): Job[] {
  return invalidate(tx, { block: requireEngineBlock(tx), todos }, note);
}

/**
 * Invalidates the target.
 * @returns the withdrawn jobs, which are still running
 * @throws DevCliError `RUN_ENDED`, `NOT_REACHED`, `FILES_OVERLAP`
 */
function invalidate(tx: Transaction, { block: id, todos }: Target, note: string | undefined): Job[] {
  const { state } = tx;
  const { program } = tx.captured.recipe;
  if (state.status === 'completed' || state.status === 'aborted') {
    throw new DevCliError('RUN_ENDED', `The run "${state.name}" is ${state.status}; its steps cannot be redone.`, {
      fix: { command: 'next', input: { name: state.name } },
    });
  }
  if (!canInvalidate(program, tx.state.machine, id)) {
    const init = program.blocks.find((block) => block.id === id)?.standsForInit === true;
    throw new DevCliError(
      'NOT_REACHED',
      init ? `"${id}" is the block of \`init\` and cannot be redone.` : `"${id}" has not been reached yet.`,
      { fix: { command: 'next', input: { name: state.name } } },
    );
  }
  // Reopening a halted run could clash with executions that have since begun to change the same files.
  const { engine } = tx.state;
  const clash = state.status === 'halted' && engine !== null ? findFileConflict(tx, Object.values(engine.todos)) : null;
  if (clash !== null) throw clash;
  reopenPhase(tx);
  return todos === null ? redoBlocks(tx, id, note) : redoTodos(tx, id, todos, note);
}

/**
 * Has a reached block and the finished blocks after it done again (protocol.md, Redoing).
 * @returns the withdrawn jobs, which are still running
 */
export function redoBlocks(tx: Transaction, id: string, note?: string): Job[] {
  const { blocks } = tx.captured.recipe;
  const redone = blocks.slice(blocks.findIndex((block) => block.id === id));
  forgetAcknowledgements(tx, redone);
  const stale = redone
    .map((block) => block.id)
    .filter((block) => ['done', 'failed', 'skipped'].includes(tx.state.steps[block]?.status ?? ''));
  recordEntry(tx, 'invalidated', { block: id, stale, ...omitUndefined({ note }) });
  const running = withdrawAll(tx);
  tx.state.lastError = null;
  if (note !== undefined) ruleOnBlock(tx, id, note);
  advance(tx, { type: 'INVALIDATE', block: id });
  return running;
}

/** Stores a ruling: on an execution, for all its todos; on any other block, in a file that its next action names. */
function ruleOnBlock(tx: Transaction, id: string, note: string): void {
  const executes = tx.captured.recipe.blocks.some((block) => block.id === id && block.kind === 'engine');
  if (executes && tx.state.engine !== null) {
    recordRuling(tx, WHOLE_RUN, note);
    return;
  }
  const path = rulingFile(`a${tx.state.lastAction + 1}`);
  tx.files.write(path, note);
  tx.because.push(path);
}

/**
 * Returns the path of the ruling on a block, relative to the run's directory.
 * @param actionId the action that is issued because of the ruling
 */
function rulingFile(actionId: string): string {
  return `actions/${actionId}/ruled.md`;
}

/** Returns the block in which the run carries out its plan. @throws DevCliError `INTERNAL` if the recipe has none */
export function requireEngineBlock(tx: Transaction): string {
  const block = tx.captured.recipe.blocks.find(({ kind }) => kind === 'engine');
  if (block === undefined) throw new DevCliError('INTERNAL', 'The run executes a plan, but its recipe has no engine.');
  return block.id;
}

/**
 * Invalidates todos; their dependents become stale, and their commits are not reverted (protocol.md, Redoing).
 * @returns the withdrawn jobs, which are still running
 * @throws DevCliError `NOT_REACHED` for a todo that was never begun
 */
function redoTodos(tx: Transaction, block: string, todos: readonly string[], note: string | undefined): Job[] {
  const { state } = tx;
  const engine = requireEngine(tx);
  for (const todo of todos) {
    if (engine.todos[todo]?.attempt !== 0 || engine.todos[todo]?.status !== 'pending') continue;
    throw new DevCliError('NOT_REACHED', `"${todo}" has not been begun yet.`, {
      fix: { command: 'next', input: { name: state.name } },
    });
  }
  for (const todo of todos) {
    const stale = listDependents(engine, todo).filter((id) => engine.todos[id]?.status !== 'pending');
    recordEntry(tx, 'invalidated', { block, stale, todoId: todo, ...omitUndefined({ note }) });
    if (note !== undefined) recordRuling(tx, todo, note);
  }
  tx.state.lastError = null;
  const before = listJobs(state);
  advance(tx, { type: 'INVALIDATE', block }, { type: 'INVALIDATE', todos });
  const kept = new Set(listJobs(state).map(({ directory }) => directory));
  const abandoned = before.filter(({ directory }) => !kept.has(directory));
  withdrawJobs(tx, abandoned);
  return abandoned;
}
