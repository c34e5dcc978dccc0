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

/**
 * Creates a function that steps a machine, which is built once for each program.
 * @returns the state after the event; null if the state does not accept it
 */
export function createStepper<Event extends string>(build: (program: EngineProgram) => MachineConfig) {
  const built = new WeakMap<EngineProgram, AnyStateMachine>();
  return (program: EngineProgram, value: StateValue, event: Event): StateValue | null => {
    const machine = built.get(program) ?? (createMachine({ ...build(program) }) as AnyStateMachine);
    built.set(program, machine);
    const before = machine.resolveState({ value, context: {} });
    return before.can({ type: event }) ? transition(machine, before, { type: event })[0].value : null;
  };
}
