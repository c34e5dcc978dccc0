import { NO_USAGE, type Usage } from './messages.js';

/** Counts the tokens that requests use, and computes their cost (runtime.md, Usage, budgets). */

/** USD per million tokens. */
export interface Prices {
  input: number;
  output: number;
  cacheWrite: number;
  cacheRead: number;
}

const COUNTERS = Object.keys(NO_USAGE) as (keyof Usage)[];

const combine = (merge: (counter: keyof Usage) => number): Usage =>
  Object.fromEntries(COUNTERS.map((counter) => [counter, merge(counter)])) as unknown as Usage;

/**
 * Updates the usage of a request under way. Of each counter, the latest value counts; a value that is no count is
 * ignored.
 */
export function updateUsage(before: Usage, told: Partial<Usage>): Usage {
  return combine((counter) => {
    const value = told[counter];
    return value !== undefined && Number.isFinite(value) && value >= 0 ? Math.round(value) : before[counter];
  });
}

/** Adds two usages. */
export function addUsage(one: Usage, other: Usage): Usage {
  return combine((counter) => one[counter] + other[counter]);
}

/** Sums all tokens of a usage. */
export function countTokens(usage: Usage): number {
  return COUNTERS.reduce((sum, counter) => sum + usage[counter], 0);
}

/** Returns the cost of a usage in USD; null if the prices are unknown. */
export function priceUsage(usage: Usage, prices: Prices | null): number | null {
  if (prices === null) return null;
  const { input_tokens: read, output_tokens: written } = usage;
  const { cache_creation_input_tokens: stored, cache_read_input_tokens: cached } = usage;
  const { input, output, cacheWrite, cacheRead } = prices;
  return (read * input + written * output + stored * cacheWrite + cached * cacheRead) / 1_000_000;
}

/** Renders USD with four decimals: `$0.0000`. */
export function formatCost(cost: number | null): string {
  return cost === null ? 'cost not known' : `$${cost.toFixed(4)}`;
}

/** Renders a usage: `12 in, 3 out, 0 to cache, 9 from cache`. */
export function formatUsage(usage: Usage): string {
  const { input_tokens: read, output_tokens: written } = usage;
  const { cache_creation_input_tokens: stored, cache_read_input_tokens: cached } = usage;
  return `${read} in, ${written} out, ${stored} to cache, ${cached} from cache`;
}
