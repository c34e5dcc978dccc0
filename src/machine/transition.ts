import { initialTransition, transition as pureTransition } from 'xstate';
import { DevCliError } from '../base/errors.js';
import type { Effect, EvaluateCondition, MachineEvent } from './events.js';
import { getMachineFor, type MachineContext } from './machine.js';
import type { EmittedAction } from './machine-config.js';
import { type Counters, canInvalidate, createCounters, findRestingState, type Position } from './position.js';
import type { Program, ProgramBlock } from './program.js';

/** The result of an event. */
export interface TransitionResult {
  position: Position;
  /** The tasks for the caller, in order. */
  effects: Effect[];
}

/**
 * Starts a program: settles the block that stands for `init`, skips blocks whose condition is false, and issues or
 * executes the next one (recipes.md §2).
 * @throws DevCliError `INTERNAL` for a program with defects; any error of `conditions`
 */
export function startProgram(program: Program, conditions: EvaluateCondition): TransitionResult {
  const start = { type: 'START' } as const;
  const machine = getMachineFor(program, null, start);
  return runUnwrapped(conditions, (watched) => {
    const [ready] = initialTransition(machine, { counters: createCounters(program), conditions: watched });
    const [snapshot, actions] = pureTransition(machine, ready, start);
    return { position: readPosition(snapshot), effects: listEffects(actions, () => []) };
  });
}

/**
 * Applies an event to a position. Pure: changes no argument, and gives the same step for the same arguments and the
 * same results of `conditions` (recipes.md §2; protocol.md §3).
 * @throws DevCliError `INTERNAL` for an event that the position does not allow, which callers must check beforehand
 * with position.ts; any error of `conditions`
 */
export function transition(
  program: Program,
  position: Position,
  event: MachineEvent,
  conditions: EvaluateCondition,
): TransitionResult {
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
    // Every transition has an effect, so no effect means that no transition was possible.
    if (effects.length === 0) throw buildImpossibleError(position, event);
    return { position: readPosition(next), effects };
  });
}

/**
 * Lists the choices that a block still offers, in order. Choices that lead back are offered only below the bound
 * (recipes.md §2).
 */
export function listOfferedChoiceIds(block: ProgramBlock, counters: Counters): string[] {
  const mayGoBack = counters.jumps < (block.maxRounds ?? 0);
  return block.choices.filter(({ target }) => target.kind !== 'goto' || mayGoBack).map(({ id }) => id);
}

/**
 * Runs a transition. If `conditions` throws, rethrows the original error, which XState wraps in one of its own.
 * @param run must evaluate guards with the conditions that it receives
 */
export function runUnwrapped<T>(conditions: EvaluateCondition, run: (watched: EvaluateCondition) => T): T {
  let thrown: { error: unknown } | undefined;
  const watched: EvaluateCondition = (source, of) => {
    try {
      return conditions(source, of);
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
 * Converts the actions that XState returns, all of them emitted, to effects.
 * @param retracted lists the blocks that become stale, beginning with the given one
 */
function listEffects(actions: readonly object[], retracted: (from: string) => string[]): Effect[] {
  return (actions as EmittedAction[]).map((action) =>
    action.type === 'retract'
      ? { type: 'stale', blocks: retracted(action.params.from) }
      : ({ type: action.type, ...action.params } as Effect),
  );
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
