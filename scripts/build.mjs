// dist/: CommonJS, cut along the dynamic imports of the source. A plain CommonJS file starts some milliseconds earlier than
// an ES module, and what a command does not need is not even parsed (docs/architecture.md). esbuild cuts ES modules only,
// so each piece is turned into CommonJS afterwards.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const options = {
  outdir: dist,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  splitting: true,
  write: false,
  platform: 'node',
  target: 'node20.17',
  format: 'esm',
  legalComments: 'linked',
  // Loaded by the few commands that need them, from node_modules.
  external: ['yaml', 'ajv', 'ajv/*'],
  define: { 'import.meta.url': '__moduleUrl' },
  logLevel: 'error',
};
// Apart from each other: what both need would be cut into further files that every call has to load.
const built = await Promise.all([
  build({ ...options, entryPoints: { cli: join(root, 'src/cli/main.ts') } }),
  build({ ...options, entryPoints: { runner: join(root, 'src/cli/runner.ts') } }),
]);
const outputFiles = built.flatMap((result) => result.outputFiles);

mkdirSync(dist, { recursive: true });
const written = new Set();
for (const { path, text } of outputFiles) {
  const name = basename(path);
  written.add(name);
  writeFileSync(join(dist, name), name.endsWith('.cjs') ? await commonJs(text) : text);
}
// Afterwards, so that a build while tests run never leaves dist/ without its entry.
for (const name of readdirSync(dist)) if (!written.has(name)) rmSync(join(dist, name), { recursive: true });

async function commonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.17',
    minify: true,
    supported: { 'dynamic-import': false },
    banner: 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;',
  });
  return code;
}
