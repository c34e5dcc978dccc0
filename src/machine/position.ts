import type { Program } from './program.js';

/** Counters of one block. */
export interface Counters {
  /**
   * Rounds begun so far, never reset; 0 before the first. A retry and the gate at the bound repeat a round and do not
   * count.
   */
  round: number;
  /**
   * Rounds that do not count towards the bound; `round - roundBase` do. It is set to `round` when the bound is renewed
   * (by an invalidate, by a choice or revise that leads back over the block, by `more` at the bound), and raised by 1
   * for a round that filled something where the user is asked.
   */
  roundBase: number;
  /** Retries since the block was last entered from outside. */
  retries: number;
  /** How often a choice of this block led back since its bound was last renewed. */
  jumps: number;
}

/** Where a run is: the XState value and the counters of every block. Plain JSON. */
export interface Position {
  value: string | Record<string, string>;
  counters: Record<string, Counters>;
}

/**
 * The states of a block in which a run can rest: its action is pending, it is a gate at its bound, or the run halted.
 */
export type BlockState = 'active' | 'bound' | 'halted';

/** The states that a run never leaves. */
export type FinalState = 'completed' | 'aborted';

const PREFIX = 'block-';

/** Returns the state key of a block, prefixed so that a block named `completed` is not mistaken for the final state. */
export function getStateKey(block: string): string {
  return `${PREFIX}${block}`;
}

/** Finds the block in which a position rests, and its state; null in a final state. */
export function findRestingState(position: Position): { block: string; state: BlockState } | null {
  if (typeof position.value === 'string') return null;
  const [entry] = Object.entries(position.value);
  return entry === undefined ? null : { block: entry[0].slice(PREFIX.length), state: entry[1] as BlockState };
}

/** Creates the counters of a new run. */
export function createCounters(program: Program): Record<string, Counters> {
  return Object.fromEntries(
    program.blocks.map((block) => [block.id, { round: 0, roundBase: 0, retries: 0, jumps: 0 }]),
  );
}
