import { findRestingState, type Position } from './position.js';
import type { Program } from './program.js';

/** The block whose action is out, also as the gate at its bound; null when the run has ended. */
export function findCurrentBlock(position: Position): string | null {
  const place = findRestingState(position);
  return place === null || place.state === 'halted' ? null : place.block;
}

/** Whether nothing is pending: completed, aborted, or halted (which an invalidate reopens). */
export function isEnded(position: Position): boolean {
  return findOutcome(position) !== null;
}

/** How the run ended; null while a block is pending. */
export function findOutcome(position: Position): 'completed' | 'halted' | 'aborted' | null {
  if (position.value === 'completed' || position.value === 'aborted') return position.value;
  return findRestingState(position)?.state === 'halted' ? 'halted' : null;
}

/** Whether the pending block is a loop at its bound that asks the user: a gate with the choices of `BOUND_CHOICES`. */
export function isAtBound(position: Position): boolean {
  return findRestingState(position)?.state === 'bound';
}

/**
 * Whether INVALIDATE may name this block: the walk reached it (it is pending, or lies before the one that is pending or
 * halted), it does not stand for init, and the run is neither completed nor aborted. A stale block that the walk has not
 * come back to cannot be named: the ones before it would stay undone.
 */
export function canInvalidate(program: Program, position: Position, block: string): boolean {
  const place = findRestingState(position);
  if (place === null) return false;
  const index = program.blocks.findIndex(({ id }) => id === block);
  const here = program.blocks.findIndex(({ id }) => id === place.block);
  return index >= 0 && index <= here && !program.blocks[index]?.standsForInit;
}
