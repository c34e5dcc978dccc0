/** Any value that survives a round trip through JSON. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/**
 * Renders a value as canonical JSON: object keys sorted by code unit, no white space.
 * Two values that mean the same give the same text, so digests of it can be compared.
 * Members whose value is `undefined` are left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isRecord(member)) return member;
    const sorted: Record<string, unknown> = {};
    for (const key of Object.keys(member).sort()) sorted[key] = member[key];
    return sorted;
  });
}

/**
 * A value as it comes back from JSON: keys sorted by code unit, members whose value is `undefined` left out. What is so
 * already is not copied, so that a large value of which little has changed costs no more than a look at it.
 */
export function normalJson(value: unknown): Json {
  if (Array.isArray(value)) return normalArray(value);
  if (isRecord(value)) return normalObject(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return value === undefined ? null : (value as Json);
}

function normalArray(value: unknown[]): Json[] {
  return value.every(isNormalMember) ? (value as Json[]) : value.map(normalJson);
}

function normalObject(value: Record<string, unknown>): JsonObject {
  const keys = Object.keys(value);
  if (keys.every((key, index) => isNormalMember(value[key]) && (index === 0 || (keys[index - 1] ?? '') < key))) {
    return value as JsonObject;
  }
  const sorted: JsonObject = {};
  for (const key of keys.sort()) {
    const member = value[key];
    if (member === undefined) continue;
    // Assigned, `__proto__` would not become a member.
    if (key !== '__proto__') sorted[key] = normalJson(member);
    else Object.defineProperty(sorted, key, { value: normalJson(member), enumerable: true });
  }
  return sorted;
}

function isNormalMember(member: unknown): boolean {
  return member !== undefined && normalJson(member) === member;
}

/** True for a plain JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
