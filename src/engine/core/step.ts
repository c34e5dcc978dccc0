import { omitUndefined } from '../../base/defined.js';
import { APPLY_PLAN, type EngineProgram, type StageActor } from '../../machine/engine-program.js';
import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { EngineEffect, EngineEvent, StagePart } from './events.js';
import { beginFinalStage, endFinalStage, moveToStage, stepRunStage } from './final-stages.js';
import { createFinalStages } from './rows.js';
import { listRedoneTodos, selectWave } from './scheduler.js';
import { StepBuilder, type StepContext } from './step-builder.js';
import { adoptPlan, askAboutProposal, dropProposal, recordPlanProposal } from './take-up.js';
import { applyTodoResult, passStage } from './todo-outcomes.js';

/**
 * Steps the engine (engine.md, Shape; engine.md, Waves): applies an event, then advances until the engine has to wait
 * for open tasks, a job or a gate, or has ended. Depends on nothing but its arguments.
 * @param state the state before the step. It is modified in place, because copying ten thousand rows would cost too
 * much for a step that changes a few. The rows themselves are replaced, never modified.
 * @returns the effects that the caller has to carry out, in order
 * @throws DevCliError `INTERNAL` for an event that the state does not allow. The state is unusable afterwards, so
 * callers have to refuse such events first.
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
      if (event.stage === APPLY_PLAN) dropProposal(builder);
      else if (event.todo === null) endFinalStage(builder, event.stage, event.verdict);
      else applyTodoResult(builder, builder.getRow(event.todo), event.stage, event.part, event.verdict);
      return;
    case 'INVALIDATE':
      invalidate(builder, event.todos);
      return;
    case 'APPLY':
      adoptPlan(builder, event.plan);
      return;
    case 'PROPOSE':
      recordPlanProposal(builder, event.reopen);
      return;
  }
}

/** Advances until the engine has to wait or has ended. */
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

/**
 * Takes those todos of the wave that are furthest behind, and begins their current stage, or skips it for those of them
 * to which it does not apply. If the wave is empty, first selects the next wave (engine.md, Waves).
 * @returns true if a stage was skipped or the run has left the stage `todos`; false if the engine has to wait
 */
function advanceWave(builder: StepBuilder): boolean {
  if (builder.state.wave.length === 0 && builder.scope.held === true) return false;
  if (builder.state.wave.length === 0 && !handOut(builder)) return leaveTodos(builder);
  const members = builder.state.wave.map((id) => builder.getRow(id));
  if (members.some((row) => row.substeps[row.status]?.status === 'running')) return false;
  const first = Math.min(...members.map((row) => rankStage(builder, row)));
  const here = members.filter((row) => rankStage(builder, row) === first);
  const idle = here.filter((row) => !builder.scope.applies(row.id, row.status, row.part));
  for (const row of idle) passStage(builder, row, 'skipped');
  return idle.length > 0 || beginStage(builder, here);
}

/** Selects the next wave and starts an attempt at each of its todos. Returns false if no todo can start. */
function handOut(builder: StepBuilder): boolean {
  const wave = selectWave(builder.state, builder.program.policies.parallelLimit);
  for (const id of wave) {
    const { why, endedAt: _, ...row } = builder.step(builder.getRow(id), 'START');
    builder.setRow({
      ...row,
      ...omitUndefined({ why }),
      attempt: row.attempt + 1,
      substeps: {},
      startedAt: row.startedAt ?? builder.scope.at,
    });
  }
  builder.state.wave = wave;
  return wave.length > 0;
}

/**
 * Begins a stage: dispatches all the todos to agents together, or begins dev-cli's own work, or a gate, for the first.
 * @param here todos that are at the same stage and part
 * @returns false, because the engine has to wait
 */
function beginStage(builder: StepBuilder, here: TodoState[]): boolean {
  const [row] = here;
  if (row === undefined) return false;
  const actor = getActor(builder, row);
  if (builder.scope.held === true && actor !== 'cli') return false;
  if (actor !== 'subagent') {
    builder.setSubstep(row, 'running');
    builder.beginAlone(actor, { todo: row.id, stage: row.status, ...omitUndefined({ part: row.part }) });
    return false;
  }
  const tasks = here.map(({ id, status, attempt, why }) => ({
    todo: id,
    stage: status,
    attempt,
    ...omitUndefined({ why }),
  }));
  for (const member of here) builder.setSubstep(member, 'running');
  builder.effects.push({ type: 'dispatch', tasks });
  return false;
}

function getActor(builder: StepBuilder, { status, part }: TodoState): StageActor {
  if (part === 'commands') return 'cli';
  if (part === 'human' || part === 'question') return 'human';
  return builder.program.stages.find(({ id }) => id === status)?.actor ?? 'cli';
}

/** Returns the position of a row among all stages and their parts, in the order in which they are done. */
function rankStage(builder: StepBuilder, { status, part }: TodoState): number {
  const parts: readonly (StagePart | undefined)[] = [undefined, 'question', 'commands', 'judge', 'human'];
  return builder.program.stages.findIndex(({ id }) => id === status) * parts.length + parts.indexOf(part);
}

/** Leaves the stage `todos` once no todo can start: for the final stages or, if todos are not done, for the report. */
function leaveTodos(builder: StepBuilder): boolean {
  const open = builder.state.order.some((id) => builder.getRow(id).status !== 'done');
  moveToStage(builder, open ? 'STOP' : 'PASS');
  return true;
}
