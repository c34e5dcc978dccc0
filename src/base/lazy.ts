/**
 * Returns a function that loads a package at its first call, so that commands that do not need it save the time. Loads
 * synchronously because decisions in a transaction are synchronous, and with `require` because the shipped program is
 * CommonJS. Only for packages left out of the bundle (scripts/build.mjs), and for Node's own modules.
 */
export function loadLazily<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}

/**
 * Returns a function that creates a value at its first call and returns the same value from then on. Only for values
 * that are never changed.
 */
export function createLazily<T>(create: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= create();
    return made;
  };
}
