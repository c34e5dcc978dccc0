// door: engine

import { omitUndefined } from '../../base/defined.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import type { MachineEvent } from '../../machine/events.js';
import type { RunEngine } from '../../run/engine.js';
import { clearPendingAction } from '../../run/held-action.js';
import { recordEntry, recordFault, recordStepSummary, type Transaction } from '../../run/transaction.js';
import { toBaseline } from '../../work/baseline.js';
import type { EngineEffect, EngineEvent, NewTask, StageResult } from '../core/events.js';
import { listRedoneTodos } from '../core/scheduler.js';
import { stepInPlace } from '../core/step.js';
import { writeReport } from '../view/report.js';
import { openGate } from './gates/gates.js';
import { startJob } from './jobs.js';
import { recordTurningPoint } from './notes.js';
import { recordPlanDifference } from './plan/difference.js';
import { buildLegacy } from './plan/further.js';
import { getTodoBody, requireEngine, requireEngineRecipe } from './plan/plan.js';
import { startExecution } from './plan/start.js';
import { withdrawTodos } from './plan/withdraw.js';
import { issueTask, renderTodoProgress, setPendingDispatch } from './prompts/dispatch.js';
import { listBrokenMustNots } from './results/must-nots.js';
import { judgeAllRequirements, warnUnmet } from './results/requirements.js';
import { triageFindings } from './results/stage-results.js';
import { createStageCondition } from './stage-conditions.js';
import { changeTodo, getTodoRow } from './todo-rows.js';
import { listUnknownReferences } from './values.js';
import { addTodosToPlan, tickDoneTodos, wrapUpTodo } from './wrap-up.js';

/**
 * The shell around the engine's pure core. Inside a transaction, it feeds events to the core and carries out the
 * effects until the engine has to wait (engine.md, Shape).
 *
 * - `enterEngine` carries out the outer machine's effect `engine`; `applyEngineEvents` handles everything else:
 *   results, decisions at gates, ended jobs (jobs.ts). Once the execution has ended, both return an event for the outer
 *   machine, which `advanceEngine` of protocol/walk/advance.ts passes on.
 * - While the engine waits, the pending action is `engine-dispatch` (open tasks: `engine.tasks`), `wait-for-user` (the
 *   engine's `at` is a gate) or `running` (`engine.job`).
 * - `tx.tree()` always returns the work tree as it was when first read in the transaction, before the decision changed
 *   anything (run/surroundings.ts).
 */

/**
 * Starts the execution of the plan, or resumes it if its block is entered again.
 * @param cause why the block is entered
 * @param event how to resume; by default, everything that is not done is redone
 * @returns the event for the outer machine, or null while the engine waits
 */
export function enterEngine(
  tx: Transaction,
  block: string,
  cause: string,
  event: EngineEvent = { type: 'INVALIDATE', todos: null },
): MachineEvent | null {
  // An execution that has not begun captures the plan again, because the plan may have changed.
  const fresh = cause === 'enter' || tx.state.engine === null || isUnbegun(tx.state.engine);
  if (fresh && !startExecution(tx, block)) return { type: 'HALT' };
  tx.state.steps[block] = { ...tx.state.steps[block], status: 'running', at: tx.at };
  return applyEngineEvents(tx, block, [fresh ? { type: 'START' } : event]);
}

/** Returns whether nothing was done yet: the plan or its commands still need approval, and no todo was attempted. */
export function isUnbegun({ planApproved, commandsApproved, todos }: RunEngine): boolean {
  if (planApproved !== null && commandsApproved !== null) return false;
  return Object.values(todos).every(({ attempt }) => attempt === 0);
}

/**
 * Feeds events to the engine and carries out the effects. Takes each event from the iterable only after carrying out
 * the effects of the previous event, because the next event may depend on them.
 * @returns the event for the outer machine, or null while the engine waits
 */
export function applyEngineEvents(tx: Transaction, block: string, events: Iterable<EngineEvent>): MachineEvent | null {
  const fresh = new Set<string>();
  let ended: MachineEvent | null = null;
  let isPlanning = true;
  for (const given of events) {
    isPlanning &&= isAboutPlan(given);
    const queue = [given];
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
      for (const effect of decideEffects(tx, block, event)) {
        const done = carryOut(tx, block, effect, fresh);
        queue.push(...done.events);
        ended = done.ended ?? ended;
      }
    }
  }
  const { tasks, at } = requireEngine(tx);
  // A held execution may have no open task and no open gate. It then has no pending action until it is released.
  if (ended === null && at === null && Object.keys(tasks).length === 0) clearPendingAction(tx);
  if (ended === null && Object.keys(tasks).length > 0 && !(isPlanning && isDispatched(tx, tasks))) {
    setPendingDispatch(tx, block, fresh);
  }
  return ended;
}

/** Returns whether an event concerns only the plan: a change, a proposal, or the end of a proposal. */
function isAboutPlan(event: EngineEvent): boolean {
  return event.type === 'APPLY' || event.type === 'PROPOSE' || (event.type === 'OUTCOME' && event.stage === APPLY_PLAN);
}

/**
 * Returns whether the pending dispatch names exactly these tasks. If so, it stays pending although the plan changed.
 */
function isDispatched(tx: Transaction, tasks: RunEngine['tasks']): boolean {
  const action = tx.state.pendingAction;
  if (action?.action !== 'engine-dispatch') return false;
  const out = [...action.tasks, ...action.running].map(({ actionId }) => actionId);
  return out.length === Object.keys(tasks).length && out.every((id) => Object.hasOwn(tasks, id));
}

function decideEffects(tx: Transaction, block: string, event: EngineEvent): EngineEffect[] {
  const engine = requireEngine(tx);
  if (event.type === 'INVALIDATE') {
    const { todos } = event;
    recordTurningPoint(
      tx,
      'reopened',
      todos === null ? 'unfinished work is started again' : `${todos.join(', ')}: done again`,
    );
    withdrawTodos(tx, block, new Set(listRedoneTodos(engine, todos)), { whole: true });
  }
  const { program } = requireEngineRecipe(tx);
  const effects = stepInPlace(program, engine, event, {
    applies: createStageCondition(tx),
    at: tx.at,
    held: tx.state.held !== undefined,
  });
  if (tx.tell !== undefined) tellDecision(tx.tell, tx.captured.recipe.name, event, effects);
  return effects;
}

function tellDecision(
  tell: NonNullable<Transaction['tell']>,
  recipe: string,
  event: EngineEvent,
  effects: readonly EngineEffect[],
): void {
  if (event.type === 'OUTCOME') {
    const { todo, stage, verdict } = event;
    tell({ kind: 'stage', recipe, todo, stage, outcome: verdict.kind });
  }
  for (const effect of effects) {
    if (effect.type === 'retried') tell({ kind: 'todo', recipe, todo: effect.todo, outcome: 'retried' });
    if (effect.type === 'settled') tell({ kind: 'todo', recipe, todo: effect.todo, outcome: effect.status });
  }
}

interface EffectResult {
  events: EngineEvent[];
  ended?: MachineEvent;
}

const NOTHING: EffectResult = { events: [] };

function carryOut(tx: Transaction, block: string, effect: EngineEffect, fresh: Set<string>): EffectResult {
  switch (effect.type) {
    case 'dispatch':
      return handOut(tx, effect.tasks, fresh);
    case 'work':
      return doWork(tx, block, effect);
    case 'gate':
      return buildEffectResult(effect, openGate(tx, block, effect));
    case 'settled':
      recordTodoEnd(tx, block, effect);
      return NOTHING;
    case 'retried':
      recordRetry(tx, block, effect);
      return NOTHING;
    case 'added':
      recordEntry(tx, 'todos-added', { todos: effect.todos, by: effect.by });
      addTodosToPlan(tx, effect.todos);
      return NOTHING;
    case 'ended':
      return { events: [], ended: endExecution(tx, block, effect) };
  }
}

/**
 * Issues tasks. A task that needs a value that nobody reported is not issued: its todo fails (engine.md, Substitution).
 */
function handOut(tx: Transaction, tasks: readonly NewTask[], fresh: Set<string>): EffectResult {
  const engine = requireEngine(tx);
  const refused: EngineEvent[] = [];
  for (const task of tasks) {
    const { todo, stage } = task;
    const unknown =
      todo === null || stage !== 'worker' ? [] : listUnknownReferences(engine.todos, getTodoBody(tx, todo));
    if (unknown.length > 0) {
      const why = `nobody reported ${unknown.join(', ')}`;
      refused.push({ type: 'OUTCOME', todo, stage, verdict: { kind: 'halt', why } });
      continue;
    }
    if (todo !== null && stage === 'worker') recordBaseline(tx, todo);
    fresh.add(issueTask(tx, task));
  }
  return { events: refused };
}

/** Records the work tree before a todo's first attempt, so that the todo's commit contains all changes since. */
function recordBaseline(tx: Transaction, todo: string): void {
  const engine = requireEngine(tx);
  if (tx.state.baseline === null || getTodoRow(engine, todo).baseline !== undefined) return;
  const tree = tx.tree();
  changeTodo(engine, todo, { baseline: tree === null ? null : toBaseline(tree) });
  if (tree !== null) engine.head ??= { began: tree.branch, branch: tree.branch };
}

/** Does work at once if it needs only documents; otherwise starts a job for it. */
function doWork(tx: Transaction, block: string, effect: Extract<EngineEffect, { type: 'work' }>): EffectResult {
  if (effect.stage === 'report') {
    recordPlanDifference(tx);
    warnUnmet(tx);
    requireEngine(tx).leaves = buildLegacy(tx, judgeAllRequirements(tx));
    writeReport(tx);
  } else if (effect.stage === 'wrapUp' && effect.todo !== null) wrapUpTodo(tx, effect.todo);
  else if (effect.stage === 'verify' && effect.todo !== null && effect.part === 'commands') {
    const violations = listBrokenMustNots(tx, getTodoBody(tx, effect.todo));
    if (violations.length > 0) return buildEffectResult(effect, triageFindings(tx, effect.todo, { violations }));
    startJob(tx, block, effect);
    return NOTHING;
  } else {
    startJob(tx, block, effect);
    return NOTHING;
  }
  return buildEffectResult(effect, { kind: 'pass' });
}

function buildEffectResult(
  { todo, stage, part }: Pick<Extract<EngineEffect, { type: 'work' }>, 'todo' | 'stage' | 'part'>,
  verdict: StageResult | null,
): EffectResult {
  if (verdict === null) return NOTHING;
  return { events: [{ type: 'OUTCOME', todo, stage, ...omitUndefined({ part }), verdict }] };
}

function recordTodoEnd(
  tx: Transaction,
  block: string,
  { todo, status, why }: Extract<EngineEffect, { type: 'settled' }>,
): void {
  const engine = requireEngine(tx);
  const { attempt, baseline, charged } = getTodoRow(engine, todo);
  // The baseline is still needed for a deferred commit and for a new attempt after the run is reopened.
  const uncommitted = status === 'failed' || engine.deferred.includes(todo);
  changeTodo(engine, todo, {
    report: undefined,
    answers: undefined,
    // Stored for the next attempt, in case the run is reopened.
    failures: status === 'failed' ? [why].filter((reason) => reason !== undefined) : undefined,
    ...(status === 'failed' ? {} : { planChanges: undefined, undone: undefined }),
    baseline: uncommitted ? baseline : undefined,
    charged: uncommitted ? charged : undefined,
  });
  recordEntry(tx, 'todo-settled', { todoId: todo, status, attempt, ...omitUndefined({ why }) });
  const { lastError } = tx.state;
  if (status === 'done' && lastError?.block === block && lastError.message.startsWith(`${todo}: `)) {
    tx.state.lastError = null;
  }
  if (status === 'failed') tx.ran.push({ block: todo, ok: false, summary: `failed: ${why ?? ''}`.slice(0, 300) });
}

function recordRetry(
  tx: Transaction,
  block: string,
  { todo, attempt, why }: Extract<EngineEffect, { type: 'retried' }>,
): void {
  const { retries } = getTodoRow(requireEngine(tx), todo);
  recordEntry(tx, 'todo-retried', { todoId: todo, attempt, why });
  // A turning point that this call has recorded already (kind `rejected`, `answered` or `widened`) is the reason for
  // the new attempt, so no `retried` is added to it.
  const { course = [] } = requireEngine(tx);
  if (!course.some(({ at }) => at === tx.at)) recordTurningPoint(tx, 'retried', `${todo}: ${why}`);
  const { maxRetries } = requireEngineRecipe(tx).program.policies;
  const how = retries > 0 ? `; retry ${retries} of ${maxRetries}` : '; attempted again';
  tx.ran.push({ block: todo, ok: false, summary: `${why.slice(0, 250)}${how}` });
  if (retries > 0) recordFault(tx, block, 'STEP_FAILED', `${todo}: ${why}`);
}

function endExecution(
  tx: Transaction,
  block: string,
  { outcome, why }: Extract<EngineEffect, { type: 'ended' }>,
): MachineEvent {
  const engine = requireEngine(tx);
  const done = engine.order.filter((id) => engine.todos[id]?.status === 'done').length;
  const failed = engine.order.filter((id) => engine.todos[id]?.status === 'failed');
  tickDoneTodos(tx);
  recordEntry(tx, 'executed', { block, outcome, done, failed, ...omitUndefined({ why }) });
  recordStepSummary(tx, block, renderTodoProgress(engine));
  if (outcome === 'completed') return { type: 'DONE' };
  const reason = why ?? 'the plan could not be carried out';
  recordTurningPoint(tx, 'halted', reason);
  recordFault(tx, block, 'STEP_FAILED', reason);
  return { type: 'HALT' };
}
