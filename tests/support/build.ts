import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { CHECKOUT } from './project.mjs';
import { chosenSeed, SEED } from './seeded.js';

/** The front door in one file, at a path from which packages that are not bundled can be found. */
const DOOR = join(CHECKOUT, 'node_modules/.cache/dev-cli-tests/door.cjs');

/** Vitest calls it for each project of its configuration, and loads it anew for each: its process knows that it was done. */
const DONE = 'DEV_CLI_TESTS_DOOR';

/**
 * Prepares all tests, once. Builds the binary, since tests drive what ships, and the front door in one file, which most
 * of them call (door.ts). Chooses the seed of all randomness and prints it. Makes the directory for the templates that
 * projects are copied from, and returns a function that removes it, because test processes are ended without notice.
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

/**
 * Builds the front door (door-entry.ts) with everything the binary calls; it finds shipped files and the runner where
 * the binary does.
 */
function buildDoor(): void {
  mkdirSync(dirname(DOOR), { recursive: true });
  // Where node_modules is a copy by hard links, writing would change the file of another checkout, whose tests would
  // then call this door.
  rmSync(DOOR, { force: true });
  buildSync({
    entryPoints: [join(CHECKOUT, 'tests/support/door-entry.ts')],
    outfile: DOOR,
    bundle: true,
    platform: 'node',
    target: 'node20.17',
    format: 'cjs',
    external: ['ajv', 'ajv/*', 'pg', '@dbos-inc/dbos-sdk', '@dbos-inc/dbos-sdk/*'],
    // As in scripts/build.mjs.
    alias: { yaml: join(CHECKOUT, 'node_modules/yaml/browser/dist/index.js') },
    // The other build of jsonc-parser loads its parts by names that no bundler recognizes.
    mainFields: ['module', 'main'],
    define: { 'import.meta.dirname': JSON.stringify(join(CHECKOUT, 'dist')) },
    logLevel: 'error',
  });
  process.env[DONE] = DOOR;
}
