/**
 * Drops fields that are undefined, so that the rest can be spread into objects whose optional fields must be absent.
 * @example `{ name, ...omitUndefined({ note }) }` has no `note` when `note` is undefined
 */
export function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const held = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(held) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
