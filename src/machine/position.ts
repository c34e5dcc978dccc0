import type { Program } from './program.js';

/** The counters of one block. */
export interface Counters {
  /**
   * Rounds begun so far, never reset; 0 before the first. A retry and the gate at the bound do not count, since they
   * repeat a round.
   */
  round: number;
  /**
   * Rounds that do not count towards the bound, so `round - roundBase` rounds count. It is set to `round` when the
   * bound is renewed (by an invalidate, by a choice or revise that leads back past the block, or by `more` at the
   * bound). In a block that asks the user, it is raised by 1 for each round that filled something.
   */
  roundBase: number;
  /** Retries since the block was last entered anew, not to retry it or for its next round. */
  retries: number;
  /** How often a choice of this block has led back since its bound was last renewed. */
  jumps: number;
}

/** Where a run is: the XState value and the counters of every block. Plain JSON. */
export interface Position {
  value: string | Record<string, string>;
  counters: Record<string, Counters>;
}

/**
 * The states of a block in which a run can rest: the block's action is pending, the block is a gate at its bound, or
 * the run has halted there.
 */
export type BlockState = 'active' | 'bound' | 'halted';

/** The states that a run never leaves. */
export type FinalState = 'completed' | 'aborted';

const PREFIX = 'block-';

/** Returns a block's state key. The prefix distinguishes a block named `completed` from the final state. */
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

/** Returns the block whose action is pending, including a gate at its bound; null if the run has ended. */
export function findCurrentBlock(position: Position): string | null {
  const place = findRestingState(position);
  return place === null || place.state === 'halted' ? null : place.block;
}

/** Returns how the run ended; null while a block is pending. An invalidate can reopen a halted run. */
export function findOutcome(position: Position): 'completed' | 'halted' | 'aborted' | null {
  if (position.value === 'completed' || position.value === 'aborted') return position.value;
  return findRestingState(position)?.state === 'halted' ? 'halted' : null;
}

/**
 * Returns whether INVALIDATE may name this block. The run must be neither completed nor aborted, and the block must be
 * the pending or halted one or an earlier one, but not the one that stands for `init`. A later, stale block cannot be
 * named, because the blocks before it would remain undone.
 */
export function canInvalidate(program: Program, position: Position, block: string): boolean {
  const place = findRestingState(position);
  if (place === null) return false;
  const index = program.blocks.findIndex(({ id }) => id === block);
  const here = program.blocks.findIndex(({ id }) => id === place.block);
  return index >= 0 && index <= here && !program.blocks[index]?.standsForInit;
}
