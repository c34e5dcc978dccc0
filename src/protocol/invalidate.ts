import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { advance } from '../effects/advance.js';
import { engineOf } from '../effects/engine/plan.js';
import { record, type Turn } from '../effects/turn.js';
import { dependentsOf } from '../machine/engine/scheduler.js';
import { canInvalidate } from '../machine/queries.js';
import { markPhase } from '../run/workflow.js';
import { changedSinceAsked } from './acknowledge-choice.js';
import type { Context } from './context.js';
import { envelope, joined, type Told, toldBy } from './envelope.js';
import { type AtWork, abandonCommands, allAtWork, endRunning, settleCommands, withdrawCommands } from './external.js';
import { findRun } from './find-run.js';
import { fullBlockId, pendingPart, refuseOtherPhase } from './identify.js';
import { transactTurn } from './turns.js';

/**
 * `step invalidate`: the block gets a new action at once, finished blocks after it are redone; documents stay; a halted
 * run is reopened (protocol.md §3). Again before anything else was done it is a duplicate: its answer may have been lost. Of a
 * todo it is a further attempt.
 * @throws DevCliError `NOT_REACHED`, `UNKNOWN_BLOCK`, `PHASE_ENDED`, `RUN_ENDED`
 */
export async function stepInvalidate(context: Context, given: unknown, step: string): Promise<Answer> {
  const until = context.clock.now() + context.answerWithin * 1000;
  const name = await findRun(context, given, true);
  const { told, abandoned } = await transactTurn(context, name, (turn): { told: Told; abandoned: AtWork[] } => {
    if (isJustInvalidated(turn, step)) return { told: { ...toldBy(turn), duplicate: true }, abandoned: [] };
    const running = invalidate(turn, step);
    return { told: toldBy(turn), abandoned: running };
  });
  for (const command of abandoned) await endRunning(context, name, command);
  const later = await settleCommands(context, name, until);
  const first = { ...told, status: 'invalidated' as const };
  return envelope(later === null ? first : joined(first, later));
}

/** Whether the last thing that happened to the run is that this block was invalidated, and the agent has its action. */
function isJustInvalidated(turn: Turn, step: string): boolean {
  const { pendingAction: pending, events } = turn.state;
  if (pending?.cause !== 'invalidate') return false;
  const { action, issuedSeq } = pending;
  if (action.action === 'running' || action.action === 'done') return false;
  // A gate asks about what lies there now.
  if (changedSinceAsked(turn, pending) !== null) return false;
  const last = events.findLast(({ type }) => type !== 'recovered');
  return last?.seq === issuedSeq && action.block === fullBlockId(turn, step);
}

/** Gives the external commands that are at work for what is now redone. */
function invalidate(turn: Turn, step: string): AtWork[] {
  const { state } = turn;
  const todo = state.engine !== null && Object.hasOwn(state.engine.todos, step) ? step : null;
  if (todo === null) refuseOtherPhase(turn, step);
  const id = todo === null ? fullBlockId(turn, step, state.engine?.order) : engineBlock(turn);
  const { program, blocks } = turn.captured.recipe;
  if (state.status === 'completed' || state.status === 'aborted') {
    throw new DevCliError('RUN_ENDED', `The run "${state.name}" is ${state.status}; its steps stand.`, {
      run: state.name,
      fix: ['Start a new run, with its goal: ', { command: 'init', input: { name: state.name } }],
    });
  }
  if (!canInvalidate(program, state.machine, id)) {
    const init = program.blocks.find((block) => block.id === id)?.standsForInit === true;
    throw new DevCliError(
      'NOT_REACHED',
      init ? `"${id}" stands for init and cannot be redone.` : `"${id}" has not been reached yet.`,
      { run: state.name, fix: { command: 'next', input: { name: state.name } }, ...pendingPart(turn) },
    );
  }
  if (state.workflow !== null) markPhase(state.workflow, 'running');
  if (todo !== null) return redoTodo(turn, id, todo);
  const from = blocks.findIndex((block) => block.id === id);
  const redone = new Set(blocks.slice(from).map((block) => block.id));
  // Their acknowledgements no longer stand: the old ids answer as unknown ones.
  for (const [actionId, place] of Object.entries(state.acknowledged)) {
    if (redone.has(place.split('/', 1)[0] ?? place)) delete state.acknowledged[actionId];
  }
  const stale = [...redone].filter((block) => ['done', 'failed', 'skipped'].includes(state.steps[block]?.status ?? ''));
  record(turn, 'invalidated', { block: id, stale });
  const running = abandonCommands(turn);
  state.lastError = null;
  advance(turn, { type: 'INVALIDATE', block: id });
  return running;
}

/** The block that executes the plan. */
function engineBlock(turn: Turn): string {
  const block = turn.captured.recipe.blocks.find(({ kind }) => kind === 'engine');
  if (block === undefined) throw new DevCliError('INTERNAL', 'The run executes a plan and its recipe has no engine.');
  return block.id;
}

/**
 * One todo of the plan is redone, and what depends on it becomes stale; its commits are not undone (engine.md). Gives the
 * commands at work for what is redone.
 */
function redoTodo(turn: Turn, block: string, todo: string): AtWork[] {
  const { state } = turn;
  const engine = engineOf(turn);
  if (engine.todos[todo]?.attempt === 0 && engine.todos[todo]?.status === 'pending') {
    throw new DevCliError('NOT_REACHED', `"${todo}" has not been begun yet.`, {
      run: state.name,
      fix: { command: 'next', input: { name: state.name } },
      ...pendingPart(turn),
    });
  }
  const stale = dependentsOf(engine, todo).filter((id) => engine.todos[id]?.status !== 'pending');
  record(turn, 'invalidated', { block, stale, todoId: todo });
  state.lastError = null;
  const before = allAtWork(turn);
  advance(turn, { type: 'INVALIDATE', block }, { type: 'INVALIDATE', todo });
  const kept = new Set(allAtWork(turn).map(({ directory }) => directory));
  const abandoned = before.filter(({ directory }) => !kept.has(directory));
  withdrawCommands(turn, abandoned);
  return abandoned;
}
