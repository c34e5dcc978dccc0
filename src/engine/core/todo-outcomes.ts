import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { TodoState } from '../../run/engine-rows.js';
import type { NewTodo, StagePart, StageResult } from './events.js';
import { createTodoRow } from './rows.js';
import type { StepBuilder } from './step-builder.js';

/**
 * Applies the outcome of a stage, or of a part of a stage, to its todo (engine.md, Triage).
 * @throws DevCliError `INTERNAL` if the todo is not at that stage, or if no todo can have this verdict
 */
export function applyTodoResult(
  builder: StepBuilder,
  row: TodoState,
  stage: string,
  part: StagePart | undefined,
  verdict: StageResult,
): void {
  const running = row.substeps[stage]?.status === 'running';
  if (row.status !== stage || row.part !== part || !running) {
    throw new DevCliError(
      'INTERNAL',
      `The todo "${row.id}" is not at ${stage}${part === undefined ? '' : `/${part}`}.`,
    );
  }
  if (builder.state.at?.todo === row.id) builder.state.at = null;
  switch (verdict.kind) {
    case 'pass':
      passStage(builder, row, 'done');
      return;
    case 'skipped':
    case 'deferred':
      passStage(builder, row, verdict.kind);
      return;
    case 'fail':
      if (row.retries >= builder.program.policies.maxRetries) failTodo(builder, row, verdict.why);
      else attemptAgain(builder, { ...row, retries: row.retries + 1 }, verdict.why);
      return;
    case 'halt':
      failTodo(builder, { ...row, ...omitUndefined({ blocked: verdict.blocked }) }, verdict.why);
      return;
    case 'widen': {
      const files = [...new Set([...row.files, ...verdict.files])];
      attemptAgain(builder, { ...row, files }, `may now touch ${verdict.files.join(', ')}`);
      return;
    }
    case 'ask':
      builder.setSubstep({ ...builder.step(row, 'ASK'), why: verdict.question }, 'pending');
      return;
    case 'again':
      attemptAgain(builder, row, verdict.why);
      return;
    case 'adapt':
      addAdaptation(builder, row, verdict.todo, verdict.passed);
      return;
    case 'fixes':
      throw new DevCliError('INTERNAL', 'Fixes come from a stage of the whole run, not from a todo.');
  }
}

/** Moves a todo to its next part or stage. A stage with parts counts as done if any part was not skipped. */
export function passStage(builder: StepBuilder, row: TodoState, how: 'done' | 'skipped' | 'deferred'): void {
  const next = builder.step(row, 'PASS');
  const begun = row.substeps[row.status]?.status === 'pending';
  if (next.status === row.status) {
    if (how === 'skipped' && !begun) builder.setRow(next);
    else builder.setSubstep(next, 'pending');
    return;
  }
  builder.setSubstep(next, how === 'skipped' && begun ? 'done' : how, row.status);
  if (next.status === 'done') endTodo(builder, next.id, 'done');
}

function attemptAgain(builder: StepBuilder, row: TodoState, why: string): void {
  builder.setSubstep({ ...builder.step(row, 'AGAIN'), why }, 'failed', row.status);
  builder.leaveWave(row.id);
  builder.effects.push({ type: 'retried', todo: row.id, attempt: row.attempt + 1, why });
}

function failTodo(builder: StepBuilder, row: TodoState, why: string): void {
  builder.setSubstep({ ...builder.step(row, 'FAIL'), why }, 'failed', row.status);
  endTodo(builder, row.id, 'failed', why);
}

function endTodo(builder: StepBuilder, id: string, status: 'done' | 'failed', why?: string): void {
  const { why: known, ...row } = builder.getRow(id);
  builder.setRow({
    ...row,
    ...(status === 'failed' && known !== undefined ? { why: known } : {}),
    endedAt: builder.scope.at,
  });
  builder.leaveWave(id);
  builder.effects.push({ type: 'settled', todo: id, status, ...omitUndefined({ why }) });
}

function addAdaptation(builder: StepBuilder, row: TodoState, todo: NewTodo, passed: boolean): void {
  const added = { ...createTodoRow(todo), depth: row.depth + 1, parent: row.id };
  const dynamicTodos = [...row.dynamicTodos, added.id];
  // If the added todo comes after its parent, the parent's dependents have to wait for it too.
  const waiting = passed ? builder.state.order.map((id) => builder.getRow(id)) : [];
  for (const dependent of waiting.filter(({ dependsOn }) => dependsOn.includes(row.id))) {
    builder.setRow({ ...dependent, dependsOn: [...dependent.dependsOn, added.id] });
  }
  builder.insert([added], row.id);
  builder.state.added += 1;
  builder.effects.push({ type: 'added', todos: [added.id], by: row.id });
  if (passed) passStage(builder, { ...row, dynamicTodos }, 'done');
  else attemptAgain(builder, { ...row, dynamicTodos, dependsOn: [...row.dependsOn, added.id] }, `after ${added.id}`);
}
