/**
 * Returns a function that loads a package at its first call, so that commands which never need the package do not pay
 * for it. It is synchronous, as decisions inside a transaction are, and uses `require`, because what ships is CommonJS.
 * Only for packages left out of the bundle (scripts/build.mjs), and for modules of Node.
 */
export function loadLazily<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}

/** Returns a function that makes a value at its first call and gives the same ever after. Only for what nobody changes. */
export function createLazily<T>(create: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= create();
    return made;
  };
}
