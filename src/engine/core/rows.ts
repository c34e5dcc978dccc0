import { FINAL_STAGES } from '../../machine/engine-program.js';
import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { NewTodo } from './events.js';

/**
 * Creates the row of a todo that has not begun.
 * @param options.done whether the todo's box in PLAN.md was already ticked before the run
 */
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

/**
 * Creates the state of an engine before `START`.
 * @param rows the rows in plan order, with unique ids; their dependencies must exist and form no cycle
 */
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

/** Creates the states of the final stages, all pending. */
export function createFinalStages(): EngineState['finalize'] {
  return Object.fromEntries(FINAL_STAGES.map((stage) => [stage, { status: 'pending', at: null }]));
}
