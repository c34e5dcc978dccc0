import { findRestingState, type Position } from './position.js';
import type { Program } from './program.js';

/** Returns the block that is pending, also as the gate at its bound; null when the run has ended. */
export function findCurrentBlock(position: Position): string | null {
  const place = findRestingState(position);
  return place === null || place.state === 'halted' ? null : place.block;
}

/** Whether the run is completed, aborted, or halted; an invalidate can reopen a halted one. */
export function isEnded(position: Position): boolean {
  return findOutcome(position) !== null;
}

/** Returns how the run ended; null while a block is pending. */
export function findOutcome(position: Position): 'completed' | 'halted' | 'aborted' | null {
  if (position.value === 'completed' || position.value === 'aborted') return position.value;
  return findRestingState(position)?.state === 'halted' ? 'halted' : null;
}

/** Whether the pending block is a loop at its bound, and so a gate with the choices of `BOUND_CHOICES`. */
export function isAtBound(position: Position): boolean {
  return findRestingState(position)?.state === 'bound';
}

/**
 * Whether INVALIDATE may name this block. It must be the pending or halted block or an earlier one, must not stand for
 * `init`, and the run must be neither completed nor aborted. A stale block further on cannot be named, because the
 * blocks before it would stay undone.
 */
export function canInvalidate(program: Program, position: Position, block: string): boolean {
  const place = findRestingState(position);
  if (place === null) return false;
  const index = program.blocks.findIndex(({ id }) => id === block);
  const here = program.blocks.findIndex(({ id }) => id === place.block);
  return index >= 0 && index <= here && !program.blocks[index]?.standsForInit;
}
