import type { Program } from './program.js';

/** Counters of one block. */
export interface Counters {
  /**
   * Times the block was issued or executed as a new round: from 1 at the first, never reset. A retry and the gate at
   * the bound repeat a round; they do not count.
   */
  round: number;
  /**
   * Rounds that do not count towards the bound: set to `round` when the bound is granted anew (an invalidate, a choice
   * or a revise that leads back over the block, `more` at the bound), and moved along by a round that brought something
   * where the user is asked. What is spent is `round - roundBase`.
   */
  roundBase: number;
  /** Retries spent since the block was last entered from outside. */
  retries: number;
  /** Times a choice of this block led back since its bound was last granted anew. */
  jumps: number;
}

/** Where a run stands: the XState value and the counters of every block. Plain JSON. */
export interface Position {
  value: string | Record<string, string>;
  counters: Record<string, Counters>;
}

/** The states a run can rest in within a block: its action is out, it is the gate at the bound, the run halted there. */
export type BlockState = 'active' | 'bound' | 'halted';

/** The states in which nothing can happen any more. */
export type FinalState = 'completed' | 'aborted';

const PREFIX = 'block-';

/** The state key of a block. Prefixed, so that a block named `completed` is not taken for the end of the run. */
export function getStateKey(block: string): string {
  return `${PREFIX}${block}`;
}

/** The block a position rests in and how, or null at a final state. */
export function findRestingState(position: Position): { block: string; state: BlockState } | null {
  if (typeof position.value === 'string') return null;
  const [entry] = Object.entries(position.value);
  return entry === undefined ? null : { block: entry[0].slice(PREFIX.length), state: entry[1] as BlockState };
}

/** The counters before anything happened. */
export function createCounters(program: Program): Record<string, Counters> {
  return Object.fromEntries(
    program.blocks.map((block) => [block.id, { round: 0, roundBase: 0, retries: 0, jumps: 0 }]),
  );
}
