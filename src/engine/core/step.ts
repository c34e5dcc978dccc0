import { APPLY_PLAN, type EngineProgram } from '../../machine/engine-program.js';
import type { EngineState } from '../../run/engine-rows.js';
import type { EngineEffect, EngineEvent } from './events.js';
import { beginFinalStage, endFinalStage } from './final-stages.js';
import { createFinalStages } from './rows.js';
import { stepRunStage } from './run-stages.js';
import { listRedoneTodos } from './scheduler.js';
import { StepBuilder, type StepContext } from './step-builder.js';
import { askAboutProposal, leaveProposal, proposePlan, takeUpPlan } from './take-up.js';
import { applyTodoResult } from './todo-outcomes.js';
import { advanceWave } from './waves.js';

/**
 * Steps the engine (engine.md, Shape; engine.md, Waves). It goes on until it has to wait for something: open tasks, a
 * piece of work, a gate, or nothing more because it has ended. Depends on nothing but its arguments.
 * @param state the caller's own: it becomes the state after the step, without copying ten thousand rows to change a
 * few. Rows are replaced, never changed.
 * @returns what the caller has to do, in order
 * @throws DevCliError `INTERNAL` for an event that the state does not allow; callers refuse those first, since the
 * state is unusable afterwards
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
    case 'RELEASE':
      return;
    case 'OUTCOME':
      if (event.stage === APPLY_PLAN) leaveProposal(builder);
      else if (event.todo === null) endFinalStage(builder, event.stage, event.verdict);
      else applyTodoResult(builder, builder.getRow(event.todo), event.stage, event.part, event.verdict);
      return;
    case 'INVALIDATE':
      invalidate(builder, event.todos);
      return;
    case 'APPLY':
      takeUpPlan(builder, event.plan);
      return;
    case 'PROPOSE':
      proposePlan(builder, event.reopen);
      return;
  }
}

/** Goes on until the engine has to wait for something. */
function proceed(builder: StepBuilder): void {
  let moved = true;
  while (moved) {
    if (builder.state.at !== null || builder.state.stage === 'ended' || askAboutProposal(builder)) return;
    moved = builder.state.stage === 'todos' ? advanceWave(builder) : beginFinalStage(builder);
  }
}

function invalidate(builder: StepBuilder, todos: readonly string[] | null): void {
  const { stage, at } = builder.state;
  const affected = listRedoneTodos(builder.state, todos);
  for (const id of affected) {
    const before = builder.getRow(id);
    const isPending = before.status === 'pending';
    if (isPending && before.attempt === 0) continue;
    const event = todos === null || todos.includes(id) ? 'AGAIN' : 'STALE';
    const { why: _why, blocked: _blocked, endedAt: _ended, ...row } = isPending ? before : builder.step(before, event);
    builder.setRow({ ...row, retries: 0, substeps: {} });
  }
  builder.state.wave = builder.state.wave.filter((id) => !affected.includes(id));
  if (at !== null && (at.todo === null || affected.includes(at.todo))) builder.state.at = null;
  builder.state.finalize = createFinalStages();
  builder.state.fixRounds = 0;
  delete builder.state.why;
  if (stage !== 'todos') builder.state.stage = stepRunStage(builder.program, stage, 'REOPEN');
}
