import type { Effect } from './events.js';

/** A named guard or action as a plain-JSON config holds it. */
export type Named<T extends { type: string }> = T extends unknown
  ? { type: T['type']; params: Omit<T, 'type'> }
  : never;

export type GuardConfig = Named<
  /** The block's condition is false: it is skipped. */
  | { type: 'unmet'; when: string }
  | { type: 'chose'; choice: string }
  /** The choice leads back and the bound still allows it. */
  | { type: 'choseBack'; choice: string; block: string; max: number }
  | { type: 'filled' }
  | { type: 'roundsLeft'; block: string; max: number }
  | { type: 'retriesLeft'; block: string; max: number }
  | { type: 'invalidates'; block: string }
>;

/** What changes the counters (position.ts). */
export type CounterAction = Named<
  /** The block is entered from outside: a new round, no retries spent. */
  | { type: 'enter'; block: string }
  | { type: 'nextRound'; block: string }
  /** The round that is over does not count towards the bound. */
  | { type: 'forgive'; block: string }
  | { type: 'retry'; block: string }
  | { type: 'jump'; block: string }
  /** Grants all bounds anew, from a block up to but not including another (null: to the end). */
  | { type: 'grant'; from: string; before: string | null }
>;

/** Handed to the caller as they are, except `retract`: it becomes `stale`, with every block from its own to the one that the event found. */
export type EmittedAction = Named<Exclude<Effect, { type: 'stale' }> | { type: 'retract'; from: string }>;

export interface TransitionConfig {
  target: string;
  guard?: GuardConfig;
  actions: (CounterAction | EmittedAction)[];
}

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
