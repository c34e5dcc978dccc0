import type { Effect } from './events.js';

/** A named guard or action in the form of a plain-JSON config. */
export type Named<T extends { type: string }> = T extends unknown
  ? { type: T['type']; params: Omit<T, 'type'> }
  : never;

/** The guards of transitions. */
export type GuardConfig = Named<
  /** The block's condition is false. */
  | { type: 'unmet'; when: string; of: string }
  | { type: 'chose'; choice: string }
  /** The choice leads back and the bound still allows it. */
  | { type: 'choseBack'; choice: string; block: string; max: number }
  | { type: 'filled' }
  | { type: 'roundsLeft'; block: string; max: number }
  | { type: 'retriesLeft'; block: string; max: number }
  | { type: 'invalidates'; block: string }
>;

/** The actions that change counters (position.ts). */
export type CounterAction = Named<
  /** Enter the block anew, not to retry it or for its next round: begins a new round, and resets the retries. */
  | { type: 'enter'; block: string }
  | { type: 'nextRound'; block: string }
  /** Do not count the finished round towards the bound. */
  | { type: 'forgive'; block: string }
  | { type: 'retry'; block: string }
  /** Count that a choice of the block led back. */
  | { type: 'jump'; block: string }
  /** Renew the bounds of all blocks from `from` up to, but not including, `before` (null: up to the last block). */
  | { type: 'grant'; from: string; before: string | null }
>;

/**
 * The actions that become effects. `retract` becomes the effect `stale`, which lists all blocks from `from` to the one
 * at which the event occurred. All other actions become effects unchanged.
 */
export type EmittedAction = Named<Exclude<Effect, { type: 'stale' }> | { type: 'retract'; from: string }>;

/** A transition from a state. */
export interface TransitionConfig {
  target: string;
  guard?: GuardConfig;
  actions: (CounterAction | EmittedAction)[];
}

/** A state, with its substates. */
export interface StateConfig {
  type?: 'final';
  initial?: string;
  states?: Record<string, StateConfig>;
  entry?: EmittedAction[];
  always?: TransitionConfig[];
  on?: Record<string, TransitionConfig[]>;
}

/** An XState v5 machine configuration that is plain JSON: it survives a round trip through text. */
export interface MachineConfig {
  id: string;
  initial: string;
  states: Record<string, StateConfig>;
  on: Record<string, TransitionConfig[]>;
  options: { maxIterations: number };
}
