import { DevCliError } from '../../base/errors.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import { findCycles } from '../../plan/model/graph.js';
import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { NewTodo, PlanUpdate } from './events.js';
import { stepRunStage } from './final-stages.js';
import {
  isInterrupted,
  isPastTodos,
  isPlanChanged,
  judgeTodos,
  type TodoUpdateKind,
  type TodoVerdict,
} from './moved-plan.js';
import { createFinalStages, createTodoRow } from './rows.js';
import type { StepBuilder } from './step-builder.js';

/** The reason given for a new attempt at a todo whose text has changed. */
const WHY = 'the plan changed while it was at work';

/**
 * Makes the execution continue with a new version of the plan (living-plan.md, plan apply). If the plan does not
 * differ, only drops the pending proposal.
 */
export function adoptPlan(builder: StepBuilder, moved: PlanUpdate): void {
  const { state } = builder;
  const verdicts = judgeTodos(state, moved);
  dropProposal(builder);
  if (!isPlanChanged(verdicts, moved)) return;
  const byTodo = new Map(verdicts.map(({ todo, verdict }) => [todo, verdict]));
  const order = orderRows(state, moved, byTodo);
  for (const { todo } of moved.todos) takeUpTodo(builder, todo, byTodo.get(todo.id) ?? 'same');
  for (const todo of moved.gone) giveUpTodo(builder, todo, byTodo.get(todo.id) ?? 'withdrawn');
  state.order = order;
  connectAdded(builder, verdicts);
  leaveInterrupted(builder, verdicts);
  comeBack(builder);
}

/** Drops the proposed plan and, if it is open, the question about it. */
export function dropProposal({ state }: StepBuilder): void {
  delete state.proposed;
  if (state.at?.stage === APPLY_PLAN) state.at = null;
}

/**
 * Records that an agent has proposed a new plan. Reopens a run that has ended. If a person is already being asked about
 * a proposal, asks again at once, even while the run is held.
 * @param reopen the done todos that have to be done again if the plan is accepted
 */
export function recordPlanProposal(builder: StepBuilder, reopen: readonly string[]): void {
  const { state } = builder;
  const isAsked = state.at?.stage === APPLY_PLAN;
  dropProposal(builder);
  state.proposed = { at: builder.scope.at, reopen: [...reopen] };
  if (state.stage === 'ended') comeBack(builder);
  if (isAsked) askNow(builder);
}

/**
 * Asks about a proposed plan as soon as no work is in progress.
 * @returns whether the engine has to wait for the question. While the run is held, the question is not asked, but the
 * engine still waits for it.
 */
export function askAboutProposal(builder: StepBuilder): boolean {
  const { state } = builder;
  if (state.proposed === undefined) return false;
  const isAtWork = state.wave.some((id) => {
    const row = builder.getRow(id);
    return row.substeps[row.status]?.status === 'running';
  });
  if (isAtWork) return false;
  if (builder.scope.held !== true) askNow(builder);
  return true;
}

function askNow(builder: StepBuilder): void {
  builder.beginAlone('human', { todo: null, stage: APPLY_PLAN });
}

function takeUpTodo(builder: StepBuilder, todo: NewTodo, verdict: TodoUpdateKind): void {
  const row = builder.state.todos[todo.id];
  if (row === undefined) {
    builder.setRow(createTodoRow(todo));
    return;
  }
  const { body: _body, gone: _gone, ...known } = row;
  const text = { ...todo, dependsOn: [...todo.dependsOn], files: [...todo.files] };
  switch (verdict) {
    case 'same':
      // While a todo is not in the plan, because the run added it or it was removed, its row keeps the text as `body`.
      // This todo is in the plan now, so the row gives up its copy.
      if (row.body !== undefined && todo.body === undefined) builder.setRow({ ...known, ...text });
      return;
    case 'taken up':
    case 'stays':
      builder.setRow({ ...known, ...text });
      return;
    case 'again':
      attemptAgain(builder, { ...known, ...text });
      return;
    case 'reopened':
    case 'redone':
      builder.setRow(begunAnew(builder, { ...known, ...text }, verdict));
      return;
    case 'added':
    case 'withdrawn':
    case 'kept':
      return;
  }
}

/** Schedules an uncounted attempt at a todo whose text changed while it was in progress or after it failed. */
function attemptAgain(builder: StepBuilder, row: TodoState): void {
  const { blocked: _blocked, endedAt: _ended, ...after } = builder.step(row, 'AGAIN');
  const retries = row.status === 'failed' ? 0 : row.retries;
  builder.setRow({ ...after, retries, why: WHY, substeps: {} });
  builder.effects.push({ type: 'retried', todo: row.id, attempt: row.attempt + 1, why: WHY });
}

function begunAnew(builder: StepBuilder, row: TodoState, verdict: 'reopened' | 'redone'): TodoState {
  const isPending = row.status === 'pending';
  const stepped = isPending ? row : builder.step(row, verdict === 'reopened' ? 'AGAIN' : 'STALE');
  const { why: _why, blocked: _blocked, endedAt: _ended, ...after } = stepped;
  return { ...after, retries: 0, substeps: {} };
}

function giveUpTodo(builder: StepBuilder, todo: NewTodo, verdict: TodoUpdateKind): void {
  const row = builder.state.todos[todo.id];
  if (row === undefined || verdict === 'same') return;
  if (verdict === 'kept')
    builder.setRow({ ...row, ...(todo.body === undefined ? {} : { body: todo.body }), gone: true });
  else delete builder.state.todos[todo.id];
}

/**
 * Returns the new order of the rows, which is that of the plan. A todo outside the plan, because the run added it or it
 * was removed, stays behind the same planned todo as before. Todos that fix findings stay at the end.
 */
function orderRows(
  { order, todos }: EngineState,
  moved: PlanUpdate,
  verdicts: ReadonlyMap<string, TodoUpdateKind>,
): string[] {
  const planned = moved.todos.filter(({ todo }) => todo.body === undefined).map(({ todo }) => todo.id);
  const isPlanned = new Set(planned);
  const behind = new Map<string | null, string[]>();
  const fixes: string[] = [];
  let last: string | null = null;
  for (const id of order) {
    if (isPlanned.has(id)) last = id;
    else if (verdicts.get(id) === 'withdrawn') continue;
    else if (todos[id]?.parent == null && todos[id]?.body !== undefined && todos[id]?.gone !== true) fixes.push(id);
    else behind.set(last, [...(behind.get(last) ?? []), id]);
  }
  return [...(behind.get(null) ?? []), ...planned.flatMap((id) => [id, ...(behind.get(id) ?? [])]), ...fixes];
}

/**
 * Restores the dependencies on todos that the run added, for todos whose dependencies were just replaced by those of
 * the new plan, which does not know the added todos. If an added todo comes before its parent (the todo that made it
 * necessary), the parent depends on it; if it comes after its parent, all that depends on the parent also depends on
 * it. Removes references to todos that no longer exist.
 * @throws DevCliError `SCHEMA_INVALID` for a cycle that leads through an added todo
 */
function connectAdded({ state }: StepBuilder, verdicts: readonly TodoVerdict[]): void {
  const behind = new Map<string, string[]>();
  const before = new Map<string, string[]>();
  for (const row of Object.values(state.todos)) {
    if (row.parent == null || row.gone === true) continue;
    const of = row.dependsOn.includes(row.parent) ? behind : before;
    of.set(row.parent, [...(of.get(row.parent) ?? []), row.id]);
  }
  const isLost = verdicts.some(({ verdict }) => verdict === 'withdrawn');
  if (behind.size + before.size === 0 && !isLost) return;
  const rewritten = new Set(verdicts.filter(isRewritten).map(({ todo }) => todo));
  for (const row of Object.values(state.todos)) {
    const added = [...(before.get(row.id) ?? []), ...row.dependsOn.flatMap((id) => behind.get(id) ?? [])];
    const all = [...row.dependsOn, ...(rewritten.has(row.id) ? added : [])];
    const dependsOn = [...new Set(all)].filter((id) => id !== row.id && Object.hasOwn(state.todos, id));
    const dynamicTodos = row.dynamicTodos.filter((id) => Object.hasOwn(state.todos, id));
    const isSame = dependsOn.length === row.dependsOn.length && dynamicTodos.length === row.dynamicTodos.length;
    if (!isSame) state.todos[row.id] = { ...row, dependsOn, dynamicTodos };
  }
  const [cycle] = findCycles(new Map(Object.values(state.todos).map(({ id, dependsOn }) => [id, [...dependsOn]])));
  if (cycle !== undefined) throw buildCycleError(cycle);
}

function isRewritten({ verdict }: TodoVerdict): boolean {
  return verdict !== 'same' && verdict !== 'stays' && verdict !== 'kept';
}

function buildCycleError(cycle: readonly string[]): DevCliError {
  const named = [...cycle, cycle[0]].join(' → ');
  return new DevCliError(
    'SCHEMA_INVALID',
    `With the todos that the run has added, the plan has a dependency cycle: ${named}.`,
    {
      fix: 'Change what these todos depend on, then repeat the command. Nothing was applied.',
    },
  );
}

function leaveInterrupted({ state }: StepBuilder, verdicts: readonly TodoVerdict[]): void {
  const left = new Set(verdicts.filter(({ verdict }) => isInterrupted(verdict)).map(({ todo }) => todo));
  if (left.size === 0) return;
  state.wave = state.wave.filter((id) => !left.has(id));
  if (state.at !== null && state.at.todo !== null && left.has(state.at.todo)) state.at = null;
}

/**
 * Reopens a run that is past the stage `todos`, so that it reaches the stage again. If a person is still being asked to
 * approve the plan or its commands, asks again, because the question was about the old plan.
 */
function comeBack(builder: StepBuilder): void {
  const { state } = builder;
  if (state.stage === 'approvePlan' || state.stage === 'approveCommands') state.at = null;
  if (!isPastTodos(state)) return;
  state.at = null;
  state.finalize = createFinalStages();
  state.fixRounds = 0;
  delete state.why;
  state.stage = stepRunStage(builder.program, state.stage, 'REOPEN');
}
