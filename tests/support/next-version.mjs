// A fake next version of dev-cli (fleet.md, Upgrades). It equals this version except that its STEPS_VERSION is one
// higher, which says that its attempts have different steps.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { CHECKOUT } from './project.mjs';

/** The bundled program. It is below node_modules, so that it finds packages that are not bundled. */
const NEXT = join(CHECKOUT, 'node_modules/.cache/dev-cli-tests/next.cjs');

/** Bundles the next version into one file. @returns {Promise<string>} its path */
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
