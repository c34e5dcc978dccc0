import { createMachine, transition } from 'xstate';
import { DevCliError } from '../../base/errors.js';
import type { EngineProgram } from '../../machine/engine-program.js';
import type { TodoState } from '../../run/engine-rows.js';
import type { Part } from './events.js';

/** What can happen to one todo. Its attempts, limits and dependents are the scheduler's business (step.ts). */
export type TodoEvent =
  | 'START'
  /** The part is over, well or for want of anything to do. */
  | 'PASS'
  /** A worker asks; the stage is suspended. */
  | 'ASK'
  /** It will be attempted anew. */
  | 'AGAIN'
  | 'FAIL'
  /** What it was built on is redone. */
  | 'STALE';

/** Where a todo stands: its status, and the part within a stage that has several. */
export type TodoPosition = Pick<TodoState, 'status' | 'part'>;

/** The parts of the shipped stages, in order. A stage that is not named here has one part without a name. */
const PARTS: Record<string, readonly Part[]> = { verify: ['commands', 'judge', 'human'] };

/** Inner name of the part that has none outside. */
const WHOLE = 'whole';

interface StateNode {
  initial?: string;
  states?: Record<string, StateNode>;
  on?: Partial<Record<TodoEvent, string>>;
}

/**
 * The machine that every todo of a run is stepped through (engine.md, Shape): plain JSON, one compound state per stage.
 * Where a stage of a todo is not to be done, the caller passes it at once.
 */
function buildTodoConfig({ stages }: EngineProgram): {
  id: string;
  initial: string;
  states: Record<string, StateNode>;
} {
  const reset = { AGAIN: '#todo.pending', STALE: '#todo.stale' } as const;
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
  const asking = id === 'worker' ? { question: {} } : {};
  return {
    initial: parts[0] ?? WHOLE,
    states: { ...Object.fromEntries(nodes), ...asking },
    on: {
      AGAIN: '#todo.pending',
      FAIL: '#todo.failed',
      STALE: '#todo.stale',
      ...(id === 'worker' ? { ASK: '#todo.worker.question' } : {}),
    },
  };
}

const built = new WeakMap<EngineProgram, ReturnType<typeof build>>();

function build(program: EngineProgram) {
  return createMachine(buildTodoConfig(program));
}

/**
 * Where an event leads a todo.
 * @throws DevCliError `INTERNAL` for an event that its state does not know
 */
export function stepTodo(program: EngineProgram, todo: TodoPosition & { id: string }, event: TodoEvent): TodoPosition {
  let machine = built.get(program);
  if (machine === undefined) {
    machine = build(program);
    built.set(program, machine);
  }
  const before = machine.resolveState({ value: toStateValue(program, todo) });
  if (!before.can({ type: event })) {
    throw new DevCliError('INTERNAL', `The todo "${todo.id}" cannot take ${event} at ${todo.status}.`);
  }
  const [after] = transition(machine, before, { type: event });
  return toPosition(after.value);
}

function toStateValue({ stages }: EngineProgram, { status, part }: TodoPosition): string | Record<string, string> {
  return stages.some(({ id }) => id === status) ? { [status]: part ?? WHOLE } : status;
}

function toPosition(value: unknown): TodoPosition {
  if (typeof value === 'string') return { status: value };
  const [[status, part] = ['', '']] = Object.entries(value as Record<string, string>);
  return part === WHOLE ? { status } : { status, part: part as Part };
}
