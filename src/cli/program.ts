import { join } from 'node:path';
import { prepareCompileCache } from './compile-cache.js';
import { loadCompiled } from './compiled.js';

// Starts the whole program (main.ts) so that the code that one call compiles is available to the next call (house.md,
// Speed).
const directory = import.meta.dirname;
const { env } = process;
// If the user has set NODE_COMPILE_CACHE, Node itself caches the code.
const cache = env['NODE_COMPILE_CACHE'] === undefined ? prepareCompileCache(env) : null;
if (cache === null) require(join(directory, 'cli.cjs'));
else loadCompiled({ directory, cache }, 'cli.cjs');
