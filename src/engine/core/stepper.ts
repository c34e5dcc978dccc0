import { type AnyStateMachine, createMachine, type StateValue, transition } from 'xstate';
import type { EngineProgram } from '../../machine/engine-program.js';

/** The part of XState's configuration that the engine's machines use, as plain JSON. */
export interface StepperConfig {
  id: string;
  initial: string;
  states: Record<string, StateNode>;
}

/** A state, which may have states of its own. `on` maps each event to its target. */
export interface StateNode {
  initial?: string;
  states?: Record<string, StateNode>;
  on?: Record<string, string>;
}

/** A machine, and the steps that it has already computed. */
interface Built {
  machine: AnyStateMachine;
  steps: Map<string, StateValue | null>;
}

/**
 * Creates a function that steps a machine, which is built once per program. The next state depends only on the current
 * state and the event, so each step is computed once and cached: a machine has only a few dozen different steps, even
 * for ten thousand todos.
 * @returns the state after the event; null if the state does not accept the event
 */
export function createStepper<Event extends string>(build: (program: EngineProgram) => StepperConfig) {
  const known = new WeakMap<EngineProgram, Built>();
  return (program: EngineProgram, value: StateValue, event: Event): StateValue | null => {
    const built = known.get(program) ?? {
      machine: createMachine({ ...build(program) }) as AnyStateMachine,
      steps: new Map(),
    };
    known.set(program, built);
    const key = `${event} ${JSON.stringify(value)}`;
    const before = built.steps.get(key);
    if (before !== undefined) return before;
    const after = step(built.machine, value, event);
    built.steps.set(key, after);
    return after;
  };
}

function step(machine: AnyStateMachine, value: StateValue, event: string): StateValue | null {
  const before = machine.resolveState({ value, context: {} });
  return before.can({ type: event }) ? transition(machine, before, { type: event })[0].value : null;
}
