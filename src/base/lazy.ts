/**
 * Returns a function that loads a package at its first call, so that commands that do not need the package do not pay
 * for it. Loading is synchronous because decisions inside a transaction are, and uses `require` because the shipped
 * program is CommonJS. Only for packages left out of the bundle (scripts/build.mjs), and for modules of Node.
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
 * that nobody changes.
 */
export function createLazily<T>(create: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= create();
    return made;
  };
}
