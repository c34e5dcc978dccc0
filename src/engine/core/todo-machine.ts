import { DevCliError } from '../../base/errors.js';
import type { EngineProgram } from '../../machine/engine-program.js';
import type { TodoState } from '../../run/engine-rows.js';
import type { StagePart } from './events.js';
import { createStepper, type StateNode, type StepperConfig } from './stepper.js';

/**
 * An event of one todo. todo-outcomes.ts handles attempts, limits and dependents; this machine knows nothing of them.
 */
export type TodoEvent =
  | 'START'
  /** The part has ended, or had nothing to do. */
  | 'PASS'
  /** The worker asks a question; its stage waits for the answer. */
  | 'ASK'
  /** The todo will be attempted again. */
  | 'AGAIN'
  | 'FAIL'
  /** Something that the todo depends on is redone. */
  | 'STALE';

/** The parts of the shipped stages, in order. Any other stage has a single, unnamed part. */
const PARTS: Record<string, readonly StagePart[]> = { verify: ['commands', 'judge', 'human'] };

/** The machine's state name for an unnamed part. */
const WHOLE = 'whole';

/**
 * Builds the machine that all todos of a run share (engine.md, Shape): one compound state for each stage. If a stage
 * does not apply to a todo, the caller sends `PASS` as soon as the todo reaches it.
 */
export function buildTodoConfig({ stages }: EngineProgram): StepperConfig {
  const reset = { AGAIN: '#todo.pending', STALE: '#todo.stale' };
  const stageNodes = stages.map(({ id }, index): [string, StateNode] => {
    const next = stages[index + 1];
    return [id, buildStageNode(id, next === undefined ? '#todo.done' : `#todo.${next.id}`)];
  });
  const begin = `#todo.${stages[0]?.id ?? 'done'}`;
  return {
    id: 'todo',
    initial: 'pending',
    states: {
      pending: { on: { START: begin, STALE: '#todo.stale' } },
      ...Object.fromEntries(stageNodes),
      done: { on: reset },
      failed: { on: reset },
      stale: { on: { START: begin, ...reset } },
    },
  };
}

function buildStageNode(id: string, onward: string): StateNode {
  const parts: readonly string[] = PARTS[id] ?? [WHOLE];
  const nodes = parts.map((part, index): [string, StateNode] => {
    const next = parts[index + 1];
    return [part, { on: { PASS: next === undefined ? onward : `#todo.${id}.${next}` } }];
  });
  const asks = id === 'worker';
  return {
    initial: parts[0] ?? WHOLE,
    states: { ...Object.fromEntries(nodes), ...(asks ? { question: {} } : {}) },
    on: {
      AGAIN: '#todo.pending',
      FAIL: '#todo.failed',
      STALE: '#todo.stale',
      ...(asks ? { ASK: '#todo.worker.question' } : {}),
    },
  };
}

const step = createStepper<TodoEvent>(buildTodoConfig);

/**
 * Returns the todo as it is after an event, with its new status and part.
 * @throws DevCliError `INTERNAL` if the todo's state does not accept the event
 */
export function stepTodo(program: EngineProgram, { part, ...todo }: TodoState, event: TodoEvent): TodoState {
  const isStage = program.stages.some(({ id }) => id === todo.status);
  const after = step(program, isStage ? { [todo.status]: part ?? WHOLE } : todo.status, event);
  if (after === null) {
    throw new DevCliError('INTERNAL', `The todo "${todo.id}" cannot take ${event} at ${todo.status}.`);
  }
  if (typeof after === 'string') return { ...todo, status: after };
  const [[status, inner] = ['', '']] = Object.entries(after);
  return inner === WHOLE ? { ...todo, status } : { ...todo, status, part: inner as StagePart };
}
