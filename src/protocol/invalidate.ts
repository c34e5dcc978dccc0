import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { findChangedArtifact } from '../blocks/choice.js';
import { findFileConflict } from '../engine/act/overlap-check.js';
import { requireEngine } from '../engine/act/plan.js';
import { recordRuling, WHOLE_RUN } from '../engine/act/rulings.js';
import { listDependents } from '../engine/core/scheduler.js';
import { type Job, listJobs } from '../jobs/job.js';
import { withdrawAll, withdrawJobs } from '../jobs/life.js';
import { canInvalidate } from '../machine/queries.js';
import type { InputOf } from '../registry/catalogue.js';
import { type Context, getDeadline } from '../run/context.js';
import { transact } from '../run/transact.js';
import { recordEntry, type Transaction } from '../run/transaction.js';
import { type FoldedJournal, renderEnvelope } from '../views/envelope.js';
import { refuseOtherPhase, resolveBlockId } from './acknowledge/identify.js';
import { mergeResults, startResult } from './envelope.js';
import { findRun } from './find-run.js';
import { runPendingJobs, stopJobs } from './settle.js';
import { advance } from './walk/advance.js';
import { reopenPhase } from './walk/phases.js';

/**
 * `step invalidate`: the block gets a new action at once, finished blocks after it are redone; documents stay; a halted
 * run is reopened (protocol.md §3). Again before anything else was done it is a duplicate: its answer may have been lost. Of
 * todos it is a further attempt of each.
 * @param step a block by id or unique prefix, or todos of the plan at work, separated by commas
 * @param note a ruling: what whoever does it again has to know; kept for all later attempts of a todo
 * @throws DevCliError `NOT_REACHED`, `UNKNOWN_BLOCK`, `PHASE_ENDED`, `RUN_ENDED`, `USAGE`,
 * `FILES_OVERLAP`
 */
export async function stepInvalidate(
  context: Context,
  given: unknown,
  { step, note }: Omit<InputOf<'step invalidate'>, 'name'>,
): Promise<Answer> {
  const until = getDeadline(context);
  const name = await findRun(context, given, true);
  const { told, abandoned } = await transact(context, name, (tx): { told: FoldedJournal; abandoned: Job[] } => {
    const target = resolveTarget(tx, step);
    if (isJustInvalidated(tx, target, note)) return { told: { ...startResult(tx), duplicate: true }, abandoned: [] };
    const running = invalidate(tx, target, note);
    return { told: startResult(tx), abandoned: running };
  });
  await stopJobs(context, name, abandoned);
  const later = await runPendingJobs(context, name, until, null);
  const first = { ...told, status: 'invalidated' as const };
  return renderEnvelope(later === null ? first : mergeResults(first, later));
}

/** What is to be redone: a block, or todos of the plan that the block executes. */
interface Target {
  block: string;
  /** Null: the block itself. */
  todos: string[] | null;
}

/** @throws DevCliError `UNKNOWN_BLOCK`, `PHASE_ENDED`, `NOT_REACHED`; `USAGE` for a block among todos */
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

/** Whether the last thing that happened to the run is that this block was invalidated so, and the agent has its action. */
function isJustInvalidated(tx: Transaction, { block, todos }: Target, note: string | undefined): boolean {
  const { pendingAction: pending, events } = tx.state;
  if (todos !== null || pending?.cause !== 'invalidate') return false;
  const { action, issuedSeq } = pending;
  if (action.action === 'running' || action.action === 'done') return false;
  // A gate asks about what lies there now.
  if (findChangedArtifact(tx, pending) !== null) return false;
  const last = events.findLast(({ type }) => type !== 'recovered');
  if (last?.seq !== issuedSeq || action.block !== block) return false;
  return note === undefined || tx.files.text(rulingFile(action.actionId)) === note;
}

/** Gives the external commands that are at work for what is now redone. */
function invalidate(tx: Transaction, { block: id, todos }: Target, note: string | undefined): Job[] {
  const { state } = tx;
  const { program, blocks } = tx.captured.recipe;
  if (state.status === 'completed' || state.status === 'aborted') {
    throw new DevCliError('RUN_ENDED', `The run "${state.name}" is ${state.status}; its steps stand.`, {
      fix: { command: 'next', input: { name: state.name } },
    });
  }
  if (!canInvalidate(program, state.machine, id)) {
    const init = program.blocks.find((block) => block.id === id)?.standsForInit === true;
    throw new DevCliError(
      'NOT_REACHED',
      init ? `"${id}" stands for init and cannot be redone.` : `"${id}" has not been reached yet.`,
      { fix: { command: 'next', input: { name: state.name } } },
    );
  }
  // A run that stood still did not keep others from beginning.
  const clash =
    state.status === 'halted' && state.engine !== null ? findFileConflict(tx, Object.values(state.engine.todos)) : null;
  if (clash !== null) throw clash;
  reopenPhase(tx);
  if (todos !== null) return redoTodos(tx, id, todos, note);
  const from = blocks.findIndex((block) => block.id === id);
  const redone = new Set(blocks.slice(from).map((block) => block.id));
  // Their acknowledgements no longer stand: the old ids answer as unknown ones.
  for (const [actionId, place] of Object.entries(state.acknowledged)) {
    if (redone.has(place.split('/', 1)[0] ?? place)) delete state.acknowledged[actionId];
  }
  const stale = [...redone].filter((block) => ['done', 'failed', 'skipped'].includes(state.steps[block]?.status ?? ''));
  recordEntry(tx, 'invalidated', { block: id, stale, ...noted(note) });
  const running = withdrawAll(tx);
  state.lastError = null;
  if (note !== undefined) ruleOnBlock(tx, id, note);
  advance(tx, { type: 'INVALIDATE', block: id });
  return running;
}

function noted(note: string | undefined): { note?: string } {
  return note === undefined ? {} : { note };
}

/** A ruling on the execution of a plan is for all its todos; of any other block it is a file that its next action names. */
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

/** Where the ruling on a block lies, relative to the run's directory: beside the action that it leads to. */
function rulingFile(actionId: string): string {
  return `actions/${actionId}/ruled.md`;
}

/** The block that executes the plan. */
function requireEngineBlock(tx: Transaction): string {
  const block = tx.captured.recipe.blocks.find(({ kind }) => kind === 'engine');
  if (block === undefined) throw new DevCliError('INTERNAL', 'The run executes a plan and its recipe has no engine.');
  return block.id;
}

/**
 * Todos of the plan are redone, and what depends on them becomes stale; their commits are not undone (protocol.md, Redoing). Gives the
 * commands at work for what is redone.
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
    recordEntry(tx, 'invalidated', { block, stale, todoId: todo, ...noted(note) });
    if (note !== undefined) recordRuling(tx, todo, note);
  }
  state.lastError = null;
  const before = listJobs(state);
  advance(tx, { type: 'INVALIDATE', block }, { type: 'INVALIDATE', todos });
  const kept = new Set(listJobs(state).map(({ directory }) => directory));
  const abandoned = before.filter(({ directory }) => !kept.has(directory));
  withdrawJobs(tx, abandoned);
  return abandoned;
}
