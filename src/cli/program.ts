import { join } from 'node:path';
import { prepareCompileCache } from './compile-cache.js';
import { loadCompiled } from './compiled.js';

// The whole program (main.ts). It starts here, so that what a call has compiled is there for the next one (house.md, Speed).
const directory = import.meta.dirname;
const { env } = process;
// Where the user has chosen a directory, Node keeps the code itself.
const cache = env['NODE_COMPILE_CACHE'] === undefined ? prepareCompileCache(env) : null;
if (cache === null) require(join(directory, 'cli.cjs'));
else loadCompiled({ directory, cache }, 'cli.cjs');
