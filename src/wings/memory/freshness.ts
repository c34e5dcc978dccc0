import type { Entries } from './book-schema.js';

/** What a verification says of what is there now (memory.md, Truth). */
export type Freshness = 'fresh' | 'stale' | 'unknown' | 'failed' | 'told';

/** @param content of the repository now; null where it cannot be told */
export function judgeFreshness(
  { how, outcome, content: then }: Pick<Entries['verification'], 'how' | 'outcome' | 'content'>,
  content: string | null,
): Freshness {
  if (how === 'told') return 'told';
  if (outcome !== 'passed') return outcome;
  if (then === null || content === null) return 'unknown';
  return then === content ? 'fresh' : 'stale';
}
