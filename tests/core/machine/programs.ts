import type { Effect, MachineEvent } from '../../../src/machine/events.js';
import type { Counters, Position } from '../../../src/machine/position.js';
import type { Program, ProgramBlock, ProgramChoice } from '../../../src/machine/program.js';
import { startProgram, type TransitionResult, transition } from '../../../src/machine/transition.js';

/** Creates a block; members that a test does not give have defaults. */
export function block(id: string, part: Partial<Omit<ProgramBlock, 'id'>> = {}): ProgramBlock {
  return { id, kind: 'llm', asksUser: false, choices: [], onError: { kind: 'halt' }, ...part };
}

export const init = block('init', { kind: 'cli', standsForInit: true });

export function program(...blocks: ProgramBlock[]): Program {
  return { blocks };
}

export function goto(id: string, target: string): ProgramChoice {
  return { id, target: { kind: 'goto', block: target } };
}

export const next = (id: string): ProgramChoice => ({ id, target: { kind: 'next' } });
export const stop = (id: string): ProgramChoice => ({ id, target: { kind: 'halt' } });

export const always = () => true;
export const never = () => false;

export const DONE: MachineEvent = { type: 'DONE' };
export const FAIL: MachineEvent = { type: 'FAIL' };
export const HALT: MachineEvent = { type: 'HALT' };
export const ABORT: MachineEvent = { type: 'ABORT' };
export const EMPTY_ROUND: MachineEvent = { type: 'ROUND', filled: false };
export const FILLED_ROUND: MachineEvent = { type: 'ROUND', filled: true };
export const choose = (choice: string): MachineEvent => ({ type: 'CHOOSE', choice });
export const invalidate = (id: string): MachineEvent => ({ type: 'INVALIDATE', block: id });

/** Walks through a program; `take` returns the effects of its last event. */
export function walk(subject: Program, conditions: (source: string) => boolean = always) {
  let step = startProgram(subject, conditions);
  return {
    started: step.effects,
    take(...events: MachineEvent[]): Effect[] {
      for (const event of events) step = transition(subject, step.position, event, conditions);
      return step.effects;
    },
    get position(): Position {
      return step.position;
    },
    counters(id: string): Counters {
      return countersOf(step.position, id);
    },
  };
}

export function countersOf(position: Position, id: string): Counters {
  const counters = position.counters[id];
  if (counters === undefined) throw new Error(`no counters for ${id}`);
  return counters;
}

/** Returns the last effect, which says what the run now waits for. */
export function lastOf(step: Pick<TransitionResult, 'effects'>): Effect {
  const last = step.effects.at(-1);
  if (last === undefined) throw new Error('no effects');
  return last;
}
