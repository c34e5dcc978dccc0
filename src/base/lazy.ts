/**
 * A package that is loaded at its first use, so that commands which never need it do not pay for it.
 * Synchronous, because decisions inside a transaction are; a plain `require`, because what ships is CommonJS. Only for
 * packages left out of the bundle (scripts/build.mjs), and for modules of Node.
 */
export function loadLazily<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}
