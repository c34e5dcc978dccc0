/**
 * Drops the fields that are undefined, for spreading into objects whose optional fields are absent, never undefined.
 * @example `{ name, ...defined({ note }) }` has no `note` where none was given
 */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const held = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(held) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
