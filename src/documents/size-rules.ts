import { defined } from '../base/defined.js';

/** How much work a change is, and whose word counts (recipes.md, Size). */

/** From the smallest. */
export const SIZES = ['small', 'middle', 'large'] as const;
/** How much work a change is. */
export type Size = (typeof SIZES)[number];

/** What is known of a run's size. */
export interface SizeFacts {
  /** What the user said, with a flag or by choosing to let the plan grow. */
  said?: Size;
  /** What the user said it is at most. */
  most?: Size;
  /** What a block found, as far as dev-cli takes it. */
  found?: Size;
  /** Why `found` is not what the block claimed. */
  why?: string;
}

/** The size that counts, and whose word it is. */
export interface SizeVerdict {
  value: Size;
  by: 'user' | 'classified' | 'default';
  /** Why it is larger than the block claimed. */
  why?: string;
}

/** Decides which size counts: the user's word, else what was found, within what the user allowed, else `large`. */
export function settleSize({ said, most, found, why }: SizeFacts): SizeVerdict {
  if (said !== undefined) return { value: said, by: 'user' };
  if (found !== undefined && (most === undefined || !isLarger(found, most))) {
    return { value: found, by: 'classified', ...defined({ why }) };
  }
  return most === undefined ? { value: 'large', by: 'default' } : { value: most, by: 'user' };
}

/** Whether `size` is larger than `other`. */
export function isLarger(size: Size, other: Size): boolean {
  return SIZES.indexOf(size) > SIZES.indexOf(other);
}

/** The next larger size; null for the largest. */
export function findNextSize(size: Size): Size | null {
  return SIZES[SIZES.indexOf(size) + 1] ?? null;
}
