/**
 * The types of state inside and outside a transaction. A snapshot is shared by its readers and frozen entirely. A
 * transaction replaces members, and adds, replaces and removes entries of maps and lists; it never changes a row itself
 * (house.md, Rooms).
 */

/** A frozen object as a transaction may change it. */
export type WritableDraft<T> = { -readonly [K in keyof T]: Container<T[K]> };

/** A list or a map whose entries may be replaced; a value of any other type is only replaced as a whole. */
type Container<V> = V extends readonly (infer E)[]
  ? E[]
  : V extends object
    ? string extends keyof V
      ? { [key: string]: V[string] }
      : V
    : V;
