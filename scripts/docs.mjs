// Writes the pages of docs/ that come from the sources: commands from the registry, errors from the table of codes.
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
  outfile: bundle,
  logLevel: 'error',
});
const { pages } = await import(pathToFileURL(bundle).href);
rmSync(bundle);
mkdirSync(join(root, 'docs'), { recursive: true });
for (const [name, text] of Object.entries(pages)) writeFileSync(join(root, 'docs', name), text());
