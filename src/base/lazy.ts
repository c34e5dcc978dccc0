import { createRequire } from 'node:module';

// A CommonJS bundle made without scripts/build.mjs, as some tests do, has no module URL but a file name.
const load = createRequire(import.meta.url ?? __filename);

/**
 * A package that is loaded at its first use, so that commands which never need it do not pay for it.
 * Synchronous, because decisions inside a transaction are. Only for packages left out of the bundle (scripts/build.mjs).
 */
export function lazyPackage<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= load(name) as T;
    return loaded;
  };
}
