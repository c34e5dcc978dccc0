import { type AnyStateMachine, createMachine, type StateValue, transition } from 'xstate';
import type { EngineProgram } from '../../machine/engine-program.js';

/** What the machines of the engine need of XState's configuration, as plain JSON. */
export interface MachineConfig {
  id: string;
  initial: string;
  states: Record<string, StateNode>;
}

/** A state, perhaps with states of its own. `on`: the target of each event. */
export interface StateNode {
  initial?: string;
  states?: Record<string, StateNode>;
  on?: Record<string, string>;
}

/** A machine, and where its steps have led. */
interface Built {
  machine: AnyStateMachine;
  steps: Map<string, StateValue | null>;
}

/**
 * Creates a function that steps a machine, which is built once for each program. Where an event leads depends on nothing but the
 * state, so it is remembered: a machine has some dozens of steps, and ten thousand todos take the same ones.
 * @returns the state after the event; null if the state does not accept it
 */
export function createStepper<Event extends string>(build: (program: EngineProgram) => MachineConfig) {
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
