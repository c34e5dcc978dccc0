import type { JsonObject } from './json.js';

/** A value that nobody changes, with everything in it. */
export type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? IsJson<T> extends true
      ? T
      : { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** True for JSON of any form, which has no members to name. */
type IsJson<T> = [T, JsonObject] extends [JsonObject, T] ? true : false;
