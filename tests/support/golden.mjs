import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { CHECKOUT } from './project.mjs';

/** Runs as a release left them at one moment (tests/golden/README.md). */

/**
 * @typedef {object} GoldenRun
 * @property {string} version the release that made it
 * @property {string} recipe
 * @property {string} moment
 * @property {string} name the run
 * @property {string} root where it was made, absolute: prompt files name it
 * @property {Record<string, unknown>} next what `dev-cli next` printed at that moment
 * @property {Record<string, string>} files text by path relative to the root, all of `.dev`
 */

/** Where golden runs are kept: `<version>/<recipe>.<moment>.json.br`. */
export const GOLDEN = join(CHECKOUT, 'tests/golden');

/**
 * Everything below `.dev` of a root.
 * @param {string} root
 * @returns {Record<string, string>}
 */
export function filesOf(root) {
  /** @type {Record<string, string>} */
  const files = {};
  for (const entry of readdirSync(join(root, '.dev'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[relative(root, path)] = readFileSync(path, 'utf8');
  }
  return files;
}

/**
 * Puts a golden run into a project.
 * @param {string} root
 * @param {Record<string, string>} files
 */
export function unpack(root, files) {
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

/** @param {GoldenRun} run */
export function save(run) {
  const path = join(GOLDEN, run.version, `${run.recipe}.${run.moment}.json.br`);
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) throw new Error(`${path} is there already: a golden run is never replaced`);
  writeFileSync(path, brotliCompressSync(JSON.stringify(run)));
}

/**
 * Every golden run of every release.
 * @returns {{ title: string, load: () => GoldenRun }[]}
 */
export function goldenRuns() {
  const names = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json.br'));
  return names.sort().map((name) => ({
    title: name.replace(/\.json\.br$/, ''),
    load: () => JSON.parse(brotliDecompressSync(readFileSync(join(GOLDEN, name))).toString('utf8')),
  }));
}
