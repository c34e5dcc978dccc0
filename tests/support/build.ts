import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { CHECKOUT } from './project.mjs';
import { chosenSeed, SEED } from './seeded.js';

/** The front door, bundled into one file. It is below node_modules, so that it finds packages that are not bundled. */
const DOOR = join(CHECKOUT, 'node_modules/.cache/dev-cli-tests/door.cjs');

/**
 * The environment variable that is set once `setup` has run. Vitest calls `setup` for each project of its configuration
 * and loads this module anew each time, so a variable of the module would be lost.
 */
const DONE = 'DEV_CLI_TESTS_DOOR';

/** A directory in memory, which Linux has; tests write and sync small files much of the time. */
const MEMORY = '/dev/shm';

/** The free space that `MEMORY` must have to be used, in bytes; tests take a part of it. */
const ENOUGH = 4 * 1024 ** 3;

/**
 * Prepares all tests, once. Builds the binary, since tests drive what ships; bundles the front door, which most of them
 * call (door.ts); chooses and prints the seed of all randomness; and makes the directory for all that tests write, and in
 * it one for the templates that projects are copied from. Returns a function that removes it; test processes cannot,
 * since they are killed without notice.
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
  const base = mkdtempSync(join(chooseTemporary(), 'dev-cli-'));
  // A database server runs as another user.
  chmodSync(base, 0o755);
  process.env['TMPDIR'] = base;
  process.env['DEV_CLI_TESTS_MODELS'] = mkdtempSync(join(base, 'models-'));
  return () => rmSync(base, { recursive: true, force: true });
}

/** Returns the directory for all that tests write: in memory if there is room and nobody has chosen another. */
function chooseTemporary(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH ? MEMORY : tmpdir();
}

/**
 * Bundles the front door (door-entry.ts), which looks for shipped files and the runner in the same place as the
 * binary.
 */
function buildDoor(): void {
  mkdirSync(dirname(DOOR), { recursive: true });
  // If node_modules was copied by hard links, overwriting the file would also change it in the other checkout, whose
  // tests would then call this door.
  rmSync(DOOR, { force: true });
  buildSync({
    entryPoints: [join(CHECKOUT, 'tests/support/door-entry.ts')],
    outfile: DOOR,
    bundle: true,
    platform: 'node',
    target: 'node20.17',
    format: 'cjs',
    external: ['ajv', 'ajv/*', 'pg', '@dbos-inc/dbos-sdk', '@dbos-inc/dbos-sdk/*'],
    // The same alias as in scripts/build.mjs.
    alias: { yaml: join(CHECKOUT, 'node_modules/yaml/browser/dist/index.js') },
    // Chooses the ES module build of jsonc-parser; a bundler cannot see which files the other build requires.
    mainFields: ['module', 'main'],
    define: { 'import.meta.dirname': JSON.stringify(join(CHECKOUT, 'dist')) },
    logLevel: 'error',
  });
  process.env[DONE] = DOOR;
}
