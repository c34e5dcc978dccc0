import type { Program } from './program.js';

/** Counters of one block. */
export interface Counters {
  /** Rounds issued so far, from 1; never reset. */
  round: number;
  /** `round` when the bound was last granted anew (an invalidate, a choice that leads back, `more` at the bound). */
  roundBase: number;
  /** Retries spent since the block was last entered from outside. */
  retries: number;
  /** Times a choice of this block led back. */
  jumps: number;
}

/** Where a run stands: the XState value and the counters. Plain JSON. */
export interface Position {
  value: string | Record<string, string>;
  counters: Record<string, Counters>;
}

/** What can happen to the current block. */
export type MachineEvent =
  | { type: 'DONE' }
  | { type: 'CHOOSE'; choice: string }
  /** A round of a loop that did not pass. `filled`: it brought something, so it does not count where the user is asked. */
  | { type: 'ROUND'; filled: boolean }
  | { type: 'FAIL' }
  | { type: 'INVALIDATE'; block: string }
  | { type: 'ABORT' }
  /** The rim cannot go on (autopilot touched sources): halt whatever `onError` says. */
  | { type: 'HALT' };

/** What the rim has to do, in order. */
export type Effect =
  /** Hand out a new action for an agent-facing block. `bound`: as the gate at the bound of a loop. */
  | { type: 'issue'; block: string; cause: 'enter' | 'round' | 'retry' | 'revise' | 'invalidate' | 'bound' }
  /** Execute a CLI block, then report DONE or FAIL. */
  | { type: 'execute'; block: string; cause: 'enter' | 'retry' | 'invalidate' }
  | { type: 'settle'; block: string; status: 'done' | 'skipped' | 'failed' }
  /** Done blocks whose result no longer counts. */
  | { type: 'stale'; blocks: string[] }
  | { type: 'end'; outcome: 'completed' | 'halted' | 'aborted' };

/** Decides a `when` of the recipe; false for null. Comes in from outside: the machine knows no documents. */
export type Conditions = (source: string) => boolean;

export interface Step {
  position: Position;
  effects: Effect[];
}

export type StartProgram = (program: Program, conditions: Conditions) => Step;
export type Transition = (program: Program, position: Position, event: MachineEvent, conditions: Conditions) => Step;
