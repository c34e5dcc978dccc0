import type { Entries } from './book-schema.js';

/** Whether a verification still holds for the current files (memory.md, Truth). */
export type Freshness = 'fresh' | 'stale' | 'unknown' | 'failed' | 'told';

/**
 * Judges whether a verification still holds. @param content the id of the repository's current content; null if unknown
 */
export function judgeFreshness(
  { how, outcome, content: then }: Pick<Entries['verification'], 'how' | 'outcome' | 'content'>,
  content: string | null,
): Freshness {
  if (how === 'told') return 'told';
  if (outcome !== 'passed') return outcome;
  if (then === null || content === null) return 'unknown';
  return then === content ? 'fresh' : 'stale';
}
