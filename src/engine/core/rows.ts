import { FINAL_STAGES } from '../../machine/engine-program.js';
import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { NewTodo } from './events.js';

/** A todo that nothing has happened to yet; `done` when its box was ticked before the run. */
export function createTodoRow(todo: NewTodo, { done = false }: { done?: boolean } = {}): TodoState {
  return {
    ...todo,
    dependsOn: [...todo.dependsOn],
    files: [...todo.files],
    status: done ? 'done' : 'pending',
    attempt: 0,
    depth: 0,
    retries: 0,
    substeps: {},
    dynamicTodos: [],
  };
}

/** An engine before START. `rows` in the order of the plan; ids are unique, dependencies exist and have no cycle. */
export function createEngineState(rows: readonly TodoState[]): EngineState {
  return {
    stage: 'approvePlan',
    order: rows.map(({ id }) => id),
    todos: Object.fromEntries(rows.map((row) => [row.id, row])),
    wave: [],
    finalize: createFinalStages(),
    fixRounds: 0,
    added: 0,
    at: null,
  };
}

/** The final stages before any of them. */
export function createFinalStages(): EngineState['finalize'] {
  return Object.fromEntries(FINAL_STAGES.map((stage) => [stage, { status: 'pending', at: null }]));
}
