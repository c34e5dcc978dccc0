import { assign, setup } from 'xstate';
import { compileProgram } from './config.js';
import type { EvaluateCondition, MachineEvent } from './events.js';
import type { CounterAction, EmittedAction, GuardConfig, MachineConfig } from './machine-config.js';
import type { Counters } from './position.js';
import type { Program } from './program.js';
import { type RestingState, sliceMachine } from './slice.js';

/** The context of the machine; a position keeps only its counters. */
export interface MachineContext {
  /** The counters of each block, by its id. */
  counters: Record<string, Counters>;
  conditions: EvaluateCondition;
}

/** START leaves the initial state; only `startProgram` sends it. */
type InnerEvent = MachineEvent | { type: 'START' };

type Facts = { context: MachineContext; event: InnerEvent };

type GuardBodies = {
  [K in GuardConfig['type']]: (facts: Facts, params: Extract<GuardConfig, { type: K }>['params']) => boolean;
};

const guards: GuardBodies = {
  unmet: ({ context }, { when, of }) => !context.conditions(when, of),
  chose: ({ event }, { choice }) => event.type === 'CHOOSE' && event.choice === choice,
  choseBack: ({ context, event }, { choice, block, max }) =>
    event.type === 'CHOOSE' && event.choice === choice && getCounters(context, block).jumps < max,
  filled: ({ event }) => event.type === 'ROUND' && event.filled,
  roundsLeft: ({ context }, { block, max }) =>
    getCounters(context, block).round - getCounters(context, block).roundBase < max,
  retriesLeft: ({ context }, { block, max }) => getCounters(context, block).retries < max,
  invalidates: ({ event }, { block }) => event.type === 'INVALIDATE' && event.block === block,
};

function getCounters({ counters }: MachineContext, block: string): Counters {
  return counters[block] as Counters;
}

/** Implements the emitted actions. Does nothing, because they become effects, which the caller carries out. */
function doNothing<K extends EmittedAction['type']>(
  _facts: Facts,
  _params: Extract<EmittedAction, { type: K }>['params'],
) {}

/**
 * Creates an XState machine from a compiled program, or from a slice of one.
 * @param order the ids of all blocks of the program, in order
 */
export function createProgramMachine(config: MachineConfig, order: readonly string[]) {
  const counting =
    <K extends CounterAction['type']>(type: K) =>
    ({ context }: { context: MachineContext }, params: Extract<CounterAction, { type: K }>['params']) => ({
      counters: applyCounter(context.counters, { type, params } as CounterAction, order),
    });
  return setup({
    types: {} as { context: MachineContext; events: InnerEvent; input: MachineContext },
    guards,
    actions: {
      enter: assign(counting('enter')),
      nextRound: assign(counting('nextRound')),
      forgive: assign(counting('forgive')),
      retry: assign(counting('retry')),
      jump: assign(counting('jump')),
      grant: assign(counting('grant')),
      issue: doNothing<'issue'>,
      execute: doNothing<'execute'>,
      engine: doNothing<'engine'>,
      settle: doNothing<'settle'>,
      retract: doNothing<'retract'>,
      end: doNothing<'end'>,
    },
  }).createMachine({ ...config, context: ({ input }) => input });
}

type ProgramMachine = ReturnType<typeof createProgramMachine>;

/** A program's compiled form, and the machines built from it so far, by resting state and event. */
interface Built {
  whole: MachineConfig;
  order: string[];
  slices: Map<string, ProgramMachine>;
}

const built = new WeakMap<Program, Built>();

/**
 * Returns the XState machine for one event in one resting state. Builds it only once per program object, so the program
 * must not be changed afterwards.
 * @param resting null before the first block, for START
 * @throws DevCliError `INTERNAL` as `compileProgram`
 */
export function getMachineFor(program: Program, resting: RestingState, event: InnerEvent): ProgramMachine {
  let known = built.get(program);
  if (known === undefined) {
    known = { whole: compileProgram(program), order: program.blocks.map(({ id }) => id), slices: new Map() };
    built.set(program, known);
  }
  const named = event.type === 'INVALIDATE' ? event.block : '';
  const key = [resting?.block, resting?.state, event.type, named].join(' ');
  let machine = known.slices.get(key);
  if (machine === undefined) {
    machine = createProgramMachine(sliceMachine(known.whole, resting, event), known.order);
    known.slices.set(key, machine);
  }
  return machine;
}

type AllCounters = Record<string, Counters>;

/**
 * Applies a counter action and returns the new counters; the given ones are not changed.
 * @param order the ids of all blocks of the program, in order
 */
function applyCounter(counters: AllCounters, action: CounterAction, order: readonly string[]): AllCounters {
  switch (action.type) {
    case 'enter':
      return changeCounters(counters, [action.params.block], (old) => ({ ...old, round: old.round + 1, retries: 0 }));
    case 'nextRound':
      return changeCounters(counters, [action.params.block], (old) => ({ ...old, round: old.round + 1 }));
    case 'forgive':
      return changeCounters(counters, [action.params.block], (old) => ({ ...old, roundBase: old.roundBase + 1 }));
    case 'retry':
      return changeCounters(counters, [action.params.block], (old) => ({ ...old, retries: old.retries + 1 }));
    case 'jump':
      return changeCounters(counters, [action.params.block], (old) => ({ ...old, jumps: old.jumps + 1 }));
    case 'grant': {
      const { from, before } = action.params;
      const granted = order.slice(order.indexOf(from), before === null ? order.length : order.indexOf(before));
      return changeCounters(counters, granted, ({ round }) => ({ round, roundBase: round, retries: 0, jumps: 0 }));
    }
  }
}

function changeCounters(counters: AllCounters, blocks: string[], change: (old: Counters) => Counters): AllCounters {
  return { ...counters, ...Object.fromEntries(blocks.map((id) => [id, change(counters[id] as Counters)])) };
}
