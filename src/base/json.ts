/** Any value that survives a round trip through JSON. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** Parses a JSON text. Returns null if the text does not parse, or if null was passed in place of a text. */
export function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Renders a value as canonical JSON: object keys sorted by code unit, no white space, `undefined` members left out.
 * Equal values give equal text, so digests of the text can be compared.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isRecord(member)) return member;
    const sorted: Record<string, unknown> = {};
    for (const key of Object.keys(member).sort()) sorted[key] = member[key];
    return sorted;
  });
}

/** Returns whether two values are equal as JSON, regardless of the order of their keys; undefined counts as null. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/**
 * Normalizes a value as a round trip through JSON would, and also sorts keys by code unit and drops members that are
 * `undefined` or named `__proto__`. Returns parts that are already normal without copying them, so that a large, mostly
 * unchanged value is cheap.
 * @param known an earlier, normal version of the value; parts identical to it are not inspected
 */
export function normalizeJson(value: unknown, known?: Json): Json {
  if (value === known && known !== undefined) return known;
  if (Array.isArray(value)) {
    const before: readonly Json[] = Array.isArray(known) ? known : [];
    if (value.every((item, at) => isNormal(item, before[at]))) return value;
    return value.map((item, at) => normalizeJson(item, before[at]));
  }
  if (isRecord(value)) return normalizeObject(value, isRecord(known) ? (known as JsonObject) : {});
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return value === undefined ? null : (value as Json);
}

const PROTOTYPE = '__proto__';

function normalizeObject(value: Record<string, unknown>, known: JsonObject): JsonObject {
  const keys = Object.keys(value);
  const before = (key: string): Json | undefined => (Object.hasOwn(known, key) ? known[key] : undefined);
  const inOrder = (key: string, at: number): boolean => at === 0 || (keys[at - 1] ?? '') < key;
  if (keys.every((key, at) => key !== PROTOTYPE && inOrder(key, at) && isNormal(value[key], before(key)))) {
    return value as JsonObject;
  }
  const sorted: JsonObject = {};
  for (const key of keys.sort()) {
    if (value[key] !== undefined && key !== PROTOTYPE) sorted[key] = normalizeJson(value[key], before(key));
  }
  return sorted;
}

function isNormal(member: unknown, known?: Json): boolean {
  return member !== undefined && normalizeJson(member, known) === member;
}

/** True for a plain JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Narrows a value that is known to be JSON to an object; see `isRecord`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** A deeply read-only value. */
export type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? IsJson<T> extends true
      ? T
      : { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** True for the type of arbitrary JSON objects, which has no known members to make read-only. */
type IsJson<T> = [T, JsonObject] extends [JsonObject, T] ? true : false;
