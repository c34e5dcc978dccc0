// One CommonJS bundle per entry: a plain bundle starts several milliseconds earlier than ES modules (docs/architecture.md).
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
await build({
  entryPoints: { cli: join(root, 'src/cli/main.ts'), runner: join(root, 'src/cli/runner.ts') },
  outdir: join(root, 'dist'),
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20.17',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: 'linked',
  // Loaded by the few commands that need them, from node_modules.
  external: ['yaml', 'ajv', 'ajv/*', 'fast-glob'],
  define: { 'import.meta.url': '__moduleUrl' },
  banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  logLevel: 'error',
});
