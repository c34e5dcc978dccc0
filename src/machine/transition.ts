import { initialTransition, transition as pureTransition } from 'xstate';
import { DevCliError } from '../base/errors.js';
import type { Effect, EvaluateCondition, MachineEvent } from './events.js';
import { getMachineFor, type MachineContext } from './machine.js';
import type { EmittedAction } from './machine-config.js';
import { type Counters, createCounters, findRestingState, type Position } from './position.js';
import type { Program, ProgramBlock } from './program.js';
import { canInvalidate } from './queries.js';

export interface Step {
  position: Position;
  effects: Effect[];
}

/**
 * Starts a program: the block that stands for init is settled, blocks whose condition is false are skipped, the first
 * that remains is issued or executed (recipes.md §2).
 * @throws DevCliError `INTERNAL` for a program with defects; whatever `conditions` throws
 */
export function startProgram(program: Program, conditions: EvaluateCondition): Step {
  const start = { type: 'START' } as const;
  const machine = getMachineFor(program, null, start);
  return runUnwrapped(conditions, (watched) => {
    const [ready] = initialTransition(machine, { counters: createCounters(program), conditions: watched });
    const [snapshot, actions] = pureTransition(machine, ready, start);
    return { position: readPosition(snapshot), effects: listEffects(actions, () => []) };
  });
}

/**
 * What an event leads to. Pure: the same program, position, event and answers of `conditions` give the same step, and
 * nothing given is changed (recipes.md §2; protocol.md §3).
 * @throws DevCliError `INTERNAL` for an event that the position does not allow: the caller refuses those first, with
 * the queries of queries.ts; whatever `conditions` throws
 */
export function transition(
  program: Program,
  position: Position,
  event: MachineEvent,
  conditions: EvaluateCondition,
): Step {
  const place = findRestingState(position);
  if (place === null) throw buildImpossibleError(position, event);
  if (event.type === 'INVALIDATE' && !canInvalidate(program, position, event.block))
    throw buildImpossibleError(position, event);
  const machine = getMachineFor(program, place, event);
  return runUnwrapped(conditions, (watched) => {
    const snapshot = machine.resolveState({
      value: position.value,
      context: { counters: position.counters, conditions: watched },
    });
    const [next, actions] = pureTransition(machine, snapshot, event);
    const effects = listEffects(actions, (from) => listBetween(program, from, place.block));
    // Every way out of a state ends in an effect, so none means that no way was open.
    if (effects.length === 0) throw buildImpossibleError(position, event);
    return { position: readPosition(next), effects };
  });
}

/** Ids of the choices a block still offers, in order: one that leads back only below the bound (recipes.md §2). */
export function listOfferedChoiceIds(block: ProgramBlock, counters: Counters): string[] {
  const mayGoBack = counters.jumps < (block.maxRounds ?? 0);
  return block.choices.filter(({ target }) => target.kind !== 'goto' || mayGoBack).map(({ id }) => id);
}

/** XState wraps what a guard throws in an error of its own and loses its type; this throws the original. */
export function runUnwrapped<T>(conditions: EvaluateCondition, run: (watched: EvaluateCondition) => T): T {
  let thrown: { error: unknown } | undefined;
  const watched: EvaluateCondition = (source) => {
    try {
      return conditions(source);
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  try {
    return run(watched);
  } catch (error) {
    throw thrown === undefined ? error : thrown.error;
  }
}

function readPosition(snapshot: { value: unknown; context: MachineContext }): Position {
  return { value: snapshot.value as Position['value'], counters: snapshot.context.counters };
}

/**
 * The effects of what XState hands out: the emitted actions of the config as they stand there (it resolves counter
 * actions itself).
 * @param retracted the blocks that become stale, from the one of that id on
 */
function listEffects(actions: readonly object[], retracted: (from: string) => string[]): Effect[] {
  return (actions as EmittedAction[]).map((action) => toEffect(action, retracted));
}

function toEffect(action: EmittedAction, retracted: (from: string) => string[]): Effect {
  switch (action.type) {
    case 'retract':
      return { type: 'stale', blocks: retracted(action.params.from) };
    case 'issue':
      return { type: 'issue', ...action.params };
    case 'execute':
      return { type: 'execute', ...action.params };
    case 'engine':
      return { type: 'engine', ...action.params };
    case 'settle':
      return { type: 'settle', ...action.params };
    case 'end':
      return { type: 'end', ...action.params };
  }
}

function listBetween(program: Program, from: string, to: string): string[] {
  const ids = program.blocks.map(({ id }) => id);
  return ids.slice(ids.indexOf(from), ids.indexOf(to) + 1);
}

function buildImpossibleError(position: Position, event: MachineEvent): DevCliError {
  return new DevCliError(
    'INTERNAL',
    `The machine cannot take ${JSON.stringify(event)} at ${JSON.stringify(position.value)}.`,
  );
}
