// The next version of dev-cli, whose attempts have different steps (fleet.md, Upgrades): equal to this one except for
// that number.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { CHECKOUT } from './project.mjs';

/** A path from which packages that are not bundled can be found. */
const NEXT = join(CHECKOUT, 'node_modules/.cache/dev-cli-tests/next.cjs');

/** @returns {Promise<string>} the program, in one file */
export async function buildNext() {
  mkdirSync(dirname(NEXT), { recursive: true });
  await build({
    ...{ entryPoints: [join(CHECKOUT, 'src/cli/main.ts')], outfile: NEXT, bundle: true, platform: 'node' },
    ...{ target: 'node20.17', format: 'cjs', mainFields: ['module', 'main'], logLevel: 'error' },
    external: ['ajv', 'ajv/*', 'pg', '@dbos-inc/dbos-sdk', '@dbos-inc/dbos-sdk/*'],
    alias: { yaml: join(CHECKOUT, 'node_modules/yaml/browser/dist/index.js') },
    define: { 'import.meta.dirname': JSON.stringify(join(CHECKOUT, 'dist')) },
    plugins: [
      {
        name: 'next',
        setup({ onLoad }) {
          onLoad({ filter: /wings[\\/]loop[\\/]state\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8');
            const contents = text.replace(/(STEPS_VERSION = )(\d+)/, (_, name, now) => `${name}${Number(now) + 1}`);
            if (contents === text) throw new Error('state.ts has no STEPS_VERSION');
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  return NEXT;
}
