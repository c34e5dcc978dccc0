import { omitUndefined } from '../base/defined.js';

/** The sizes of a change, and the rules for whose judgement of the size counts (recipes.md, Size). */

/** All sizes, the smallest first. */
export const SIZES = ['small', 'middle', 'large'] as const;
/** How much work a change is. */
export type Size = (typeof SIZES)[number];

/** The facts about a run's size. */
export interface SizeFacts {
  /** The size that the user named, with a flag or by choosing to let the plan grow. */
  said?: Size;
  /** The largest size that the user allowed. */
  most?: Size;
  /** The size that a block determined, as far as dev-cli accepts it. */
  found?: Size;
  /** Why `found` differs from the block's claim. */
  why?: string;
}

/** The size that counts, and who decided it. */
export interface SizeVerdict {
  value: Size;
  by: 'user' | 'classified' | 'default';
  /** Why `value` is larger than the block's claim. */
  why?: string;
}

/**
 * Decides which size counts. If the user named a size, that one. Otherwise the size that a block determined, unless it
 * is larger than the user allows. Otherwise the largest size that the user allows, by default `large`.
 */
export function settleSize({ said, most, found, why }: SizeFacts): SizeVerdict {
  if (said !== undefined) return { value: said, by: 'user' };
  if (found !== undefined && (most === undefined || !isLarger(found, most))) {
    return { value: found, by: 'classified', ...omitUndefined({ why }) };
  }
  return most === undefined ? { value: 'large', by: 'default' } : { value: most, by: 'user' };
}

/** Returns whether `size` is larger than `other`. */
export function isLarger(size: Size, other: Size): boolean {
  return SIZES.indexOf(size) > SIZES.indexOf(other);
}

/** Returns the next larger size; null for the largest. */
export function findNextSize(size: Size): Size | null {
  return SIZES[SIZES.indexOf(size) + 1] ?? null;
}
