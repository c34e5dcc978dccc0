import { createHash } from 'node:crypto';

/** How a service counts the tokens of a prompt, and how many of them come from its cache. */

/** How many blocks back from a cache breakpoint the service looks for the end of a cached prefix. */
const LOOK_BACK = 20;
/** Bytes per token. */
const BYTES = 4;

/**
 * Returns the maximum number of tokens that the request allows for the answer.
 * @param {import('./provider.mjs').Api} api
 * @param {Record<string, unknown>} raw
 * @returns {number}
 */
export function limitOf(api, raw) {
  const google = /** @type {Record<string, unknown> | undefined} */ (raw['generationConfig'])?.['maxOutputTokens'];
  const chat = raw['max_completion_tokens'] ?? raw['max_tokens'];
  const given = { anthropic: raw['max_tokens'], openai: raw['max_output_tokens'], google, chat }[api];
  return typeof given === 'number' ? given : Number.POSITIVE_INFINITY;
}

/**
 * Counts the tokens of an answer, and cuts the answer at the limit.
 * @param {number} limit tokens
 * @returns {{ take: (text: string) => string, isCut: () => boolean, tokens: () => number }}
 */
export function createCutter(limit) {
  let used = 0;
  let isCut = false;
  const take = (/** @type {string} */ text) => {
    const bytes = Buffer.from(text);
    const left = limit * BYTES - used;
    isCut ||= bytes.length > left;
    // Drops a character that the cut has split.
    const taken = isCut
      ? bytes
          .subarray(0, left)
          .toString()
          .replace(/\ufffd+$/, '')
      : text;
    used += Buffer.byteLength(taken);
    return taken;
  };
  return { take, isCut: () => isCut, tokens: () => Math.ceil(used / BYTES) };
}

/**
 * @typedef {{ input: number, cacheRead: number, cacheWrite: number }} Prompt tokens
 * @typedef {(whose: string, segments: { text: string, breakpoint: boolean }[], marked: boolean) => () => Prompt} Measure
 */

/**
 * Creates a meter with an empty cache. With `marked`, only prefixes that end at a breakpoint are cached, otherwise all.
 * The meter returns a function to call when the request is answered; only that call adds the prefixes to the cache.
 * @returns {Measure}
 */
export function createMeter() {
  /** @type {Set<string>} */
  const known = new Set();
  return (whose, segments, marked) => {
    let hash = whose;
    let bytes = 0;
    const places = segments.map(({ text, breakpoint }) => {
      hash = createHash('sha256').update(hash).update(text).digest('base64');
      bytes += Buffer.byteLength(text);
      return { hash, tokens: Math.ceil(bytes / BYTES), breakpoint: breakpoint || !marked };
    });
    return () => {
      const last = places.findLastIndex(({ breakpoint }) => breakpoint);
      const found = places.findLastIndex((place, at) => known.has(place.hash) && isInSight(places, at));
      const cacheRead = places[found]?.tokens ?? 0;
      const kept = marked ? (places[last]?.tokens ?? 0) : cacheRead;
      for (const place of places) if (place.breakpoint) known.add(place.hash);
      return {
        cacheRead,
        cacheWrite: Math.max(0, kept - cacheRead),
        input: Math.ceil(bytes / BYTES) - Math.max(kept, cacheRead),
      };
    };
  };
}

/** @type {(places: { breakpoint: boolean }[], at: number) => boolean} */
const isInSight = (places, at) => places.slice(at, at + LOOK_BACK + 1).some(({ breakpoint }) => breakpoint);
