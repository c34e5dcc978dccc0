import { defined } from '../../base/defined.js';
import type { StageActor } from '../../machine/engine-program.js';
import type { TodoState } from '../../run/engine-rows.js';
import type { Part } from './events.js';
import { moveToStage } from './final-stages.js';
import { selectWave } from './scheduler.js';
import type { StepBuilder } from './step-builder.js';
import { passStage } from './todo-outcomes.js';

/**
 * Moves the todos of the wave on to their next stage or, if the wave is empty, hands out the next todos (engine.md,
 * Waves).
 * @returns whether anything moved; false if the engine has to wait
 */
export function advanceWave(builder: StepBuilder): boolean {
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

/** Puts the next todos into the wave; false if none can start. */
function handOut(builder: StepBuilder): boolean {
  const wave = selectWave(builder.state, builder.program.policies.parallelLimit);
  for (const id of wave) {
    const { why, endedAt: _, ...row } = builder.step(builder.getRow(id), 'START');
    builder.setRow({
      ...row,
      ...defined({ why }),
      attempt: row.attempt + 1,
      substeps: {},
      startedAt: row.startedAt ?? builder.scope.at,
    });
  }
  builder.state.wave = wave;
  return wave.length > 0;
}

/** @param here todos that are at the same stage and part */
function beginStage(builder: StepBuilder, here: TodoState[]): boolean {
  const [row] = here;
  if (row === undefined) return false;
  const actor = getActor(builder, row);
  if (builder.scope.held === true && actor !== 'cli') return false;
  if (actor !== 'subagent') {
    builder.setSubstep(row, 'running');
    builder.beginAlone(actor, { todo: row.id, stage: row.status, ...defined({ part: row.part }) });
    return false;
  }
  const tasks = here.map(({ id, status, attempt, why }) => ({ todo: id, stage: status, attempt, ...defined({ why }) }));
  for (const member of here) builder.setSubstep(member, 'running');
  builder.effects.push({ type: 'dispatch', tasks });
  return false;
}

function getActor(builder: StepBuilder, { status, part }: TodoState): StageActor {
  if (part === 'commands') return 'cli';
  if (part === 'human' || part === 'question') return 'human';
  return builder.program.stages.find(({ id }) => id === status)?.actor ?? 'cli';
}

/** The position of a row among all stages and their parts, in the order in which they are done. */
function rankStage(builder: StepBuilder, { status, part }: TodoState): number {
  const parts: readonly (Part | undefined)[] = [undefined, 'question', 'commands', 'judge', 'human'];
  return builder.program.stages.findIndex(({ id }) => id === status) * parts.length + parts.indexOf(part);
}

/** Leaves the todos for the final stages, since no todo can start any more. */
function leaveTodos(builder: StepBuilder): boolean {
  const open = builder.state.order.some((id) => builder.getRow(id).status !== 'done');
  moveToStage(builder, open ? 'STOP' : 'PASS');
  return true;
}
