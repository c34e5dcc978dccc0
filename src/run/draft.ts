/**
 * The types of state inside and outside a transaction. A snapshot is shared by its readers and frozen whole. A transaction
 * replaces members, and adds, replaces and removes entries of maps and lists; a row itself is never changed (house.md, Rooms).
 */

/** A frozen object as a transaction changes it. */
export type Draft<T> = { -readonly [K in keyof T]: Container<T[K]> };

/** A list or a map whose entries may be replaced; any other value is replaced whole. */
type Container<V> = V extends readonly (infer E)[]
  ? E[]
  : V extends object
    ? string extends keyof V
      ? { [key: string]: V[string] }
      : V
    : V;

/** Copies an object and the lists and maps that are its members; the rows are shared. */
export function openDraft<T extends object>(value: T): Draft<T> {
  const copy = { ...value } as Record<string, unknown>;
  for (const [key, member] of Object.entries(copy)) {
    if (Array.isArray(member)) copy[key] = [...member];
    else if (typeof member === 'object' && member !== null) copy[key] = { ...member };
  }
  return copy as Draft<T>;
}
