import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { CHECKOUT } from './project.mjs';
import { chosenSeed, SEED } from './seeded.js';

/** Where packages that are not bundled are found. */
const DOOR = join(CHECKOUT, 'node_modules/.cache/dev-cli-tests/door.cjs');

/** Vitest calls it for each project of its configuration, and loads it anew for each: its process knows that it was done. */
const DONE = 'DEV_CLI_TESTS_DOOR';

/**
 * What comes before all tests, once: the binary is built, since what they drive is what ships, and the front door in one file,
 * which most of them call (door.ts). The seed of everything that chance chooses is chosen and told. Makes the directory in
 * which the tests keep what their projects are copied from, and gives what removes it: their processes are ended without
 * notice.
 */
export function setup(): () => void {
  if (process.env[DONE] !== undefined) return () => {};
  if (process.env['DEV_CLI_TESTS_BUILT'] !== '1') {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: CHECKOUT, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  buildDoor();
  const seed = String(chosenSeed());
  process.env[SEED] = seed;
  console.log(`What chance chooses: ${SEED}=${seed} repeats it.`);
  const models = mkdtempSync(join(tmpdir(), 'dev-cli-models-'));
  process.env['DEV_CLI_TESTS_MODELS'] = models;
  return () => rmSync(models, { recursive: true, force: true });
}

/** All that the binary calls (door-entry.ts); it finds what ships, its runner too, where the binary does. */
function buildDoor(): void {
  mkdirSync(dirname(DOOR), { recursive: true });
  // Where node_modules is a copy by hard links, it would be written into another checkout, whose tests would then call this one.
  rmSync(DOOR, { force: true });
  buildSync({
    entryPoints: [join(CHECKOUT, 'tests/support/door-entry.ts')],
    outfile: DOOR,
    bundle: true,
    platform: 'node',
    target: 'node20.17',
    format: 'cjs',
    external: ['ajv', 'ajv/*', 'pg', '@dbos-inc/dbos-sdk', '@dbos-inc/dbos-sdk/*'],
    // As scripts/build.mjs has it.
    alias: { yaml: join(CHECKOUT, 'node_modules/yaml/browser/dist/index.js') },
    // jsonc-parser's other form loads its parts by names that no bundler sees.
    mainFields: ['module', 'main'],
    define: { 'import.meta.dirname': JSON.stringify(join(CHECKOUT, 'dist')) },
    logLevel: 'error',
  });
  process.env[DONE] = DOOR;
}
