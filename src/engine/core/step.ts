import type { EngineProgram } from '../../machine/engine-program.js';
import type { EngineState } from '../../run/engine-rows.js';
import type { EngineEffect, EngineEvent } from './events.js';
import { beginFinalStage, endFinalStage } from './final-stages.js';
import { createFinalStages } from './rows.js';
import { stepRunStage } from './run-stages.js';
import { listDependents } from './scheduler.js';
import { StepBuilder, type StepContext } from './step-builder.js';
import { applyTodoResult } from './todo-outcomes.js';
import { advanceWave } from './waves.js';

export interface EngineStep {
  state: EngineState;
  effects: EngineEffect[];
}

/**
 * What an event leads to (engine.md, Shape and Waves). Pure: nothing given is changed, the same input gives the same step.
 * The effects end where something from outside is needed: tasks that are out, a piece of work, a gate, or the end.
 * @throws DevCliError `INTERNAL` for an event that the state does not allow: the caller refuses those first
 */
export function stepEngine(
  program: EngineProgram,
  before: EngineState,
  event: EngineEvent,
  scope: StepContext,
): EngineStep {
  const { order, todos, finalize } = before;
  const state = { ...before, order: [...order], todos: { ...todos }, finalize: { ...finalize } };
  return { state, effects: stepInPlace(program, state, event, scope) };
}

/**
 * The same on a state that is the caller's own, which becomes the one after the step: of ten thousand rows only those that
 * change are touched. Rows are replaced, never changed.
 * @throws DevCliError as `stepEngine`; the state is of no use then
 */
export function stepInPlace(
  program: EngineProgram,
  state: EngineState,
  event: EngineEvent,
  scope: StepContext,
): EngineEffect[] {
  const builder = new StepBuilder(program, state, scope);
  takeEvent(builder, event);
  proceed(builder);
  return builder.effects;
}

function takeEvent(builder: StepBuilder, event: EngineEvent): void {
  switch (event.type) {
    case 'START':
      return;
    case 'OUTCOME':
      if (event.todo === null) endFinalStage(builder, event.stage, event.verdict);
      else applyTodoResult(builder, builder.row(event.todo), event.stage, event.part, event.verdict);
      return;
    case 'INVALIDATE':
      invalidate(builder, event.todos);
      return;
  }
}

/** Goes on until something from outside is needed. */
function proceed(builder: StepBuilder): void {
  let moved = true;
  while (moved) {
    if (builder.state.at !== null || builder.state.stage === 'ended') return;
    moved = builder.state.stage === 'todos' ? advanceWave(builder) : beginFinalStage(builder);
  }
}

function invalidate(builder: StepBuilder, todos: readonly string[] | null): void {
  const { stage, at } = builder.state;
  const affected = listRedoneTodos(builder.state, todos);
  for (const id of affected) {
    const { part: _, why: _why, endedAt: _ended, ...row } = builder.row(id);
    const untouched = row.status === 'pending' && row.attempt === 0;
    if (untouched) continue;
    const event = todos === null || todos.includes(id) ? 'AGAIN' : 'STALE';
    const standing = row.status === 'pending' ? { status: 'pending' } : builder.step(builder.row(id), event);
    builder.set({ ...row, ...standing, retries: 0, substeps: {} });
  }
  builder.state.wave = builder.state.wave.filter((id) => !affected.includes(id));
  if (at !== null && (at.todo === null || affected.includes(at.todo))) builder.state.at = null;
  builder.state.finalize = createFinalStages();
  builder.state.fixRounds = 0;
  delete builder.state.why;
  if (stage !== 'todos') builder.state.stage = stepRunStage(builder.program, stage, 'REOPEN');
}

/** What an INVALIDATE redoes: these todos and all that depends on them; null: all that is not done. In plan order. */
export function listRedoneTodos(
  state: Pick<EngineState, 'order' | 'todos'>,
  todos: readonly string[] | null,
): string[] {
  if (todos === null) return state.order.filter((id) => state.todos[id]?.status !== 'done');
  const redone = new Set(todos.flatMap((id) => [id, ...listDependents(state, id)]));
  return state.order.filter((id) => redone.has(id));
}
