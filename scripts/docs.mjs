// Writes the pages in docs/ that are generated from the sources: commands from the registry, errors from the table of
// codes, and pictures from the recipes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bundle = join(root, 'src/generated/.docs.mjs');
await build({
  entryPoints: [join(root, 'scripts/docs.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  outfile: bundle,
  logLevel: 'error',
});
const { pages } = await import(pathToFileURL(bundle).href);
rmSync(bundle);
mkdirSync(join(root, 'docs/images'), { recursive: true });
for (const [name, text] of Object.entries(pages)) writeFileSync(join(root, 'docs', name), text());
