import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { CHECKOUT } from './project.mjs';

/** Recorded runs, each as a release of dev-cli left it at a certain moment (tests/golden/README.md). */

/**
 * @typedef {object} GoldenRun
 * @property {string} version the release that made it
 * @property {string} recipe
 * @property {string} moment
 * @property {string} name the run's name
 * @property {string} init the command that began the run
 * @property {string} root the absolute root where the run was made; prompt files name it
 * @property {Record<string, unknown>} next the output of `dev-cli next` at that moment
 * @property {Record<string, string>} files all files except those in `.git`, as text, by path relative to the root
 * @property {Record<string, string>} repository all files in `.git`, as base64, by path relative to the root
 */

/** The directory of the golden runs: `<version>/<recipe>.<moment>.json.br`. */
export const GOLDEN = join(CHECKOUT, 'tests/golden');

/**
 * Reads everything below a root.
 * @param {string} root
 * @returns {Pick<GoldenRun, 'files' | 'repository'>}
 */
export function contentOf(root) {
  /** @type {Record<string, string>} */
  const files = {};
  /** @type {Record<string, string>} */
  const repository = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path);
    if (name.startsWith('.git/')) repository[name] = readFileSync(path, 'base64');
    else files[name] = readFileSync(path, 'utf8');
  }
  return { files, repository };
}

/**
 * Writes a golden run into an empty directory.
 * @param {string} root
 * @param {Pick<GoldenRun, 'files' | 'repository'>} run
 */
export function unpack(root, { files, repository }) {
  const put = (/** @type {string} */ path, /** @type {string} */ content, /** @type {BufferEncoding} */ encoding) => {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, encoding);
  };
  for (const [path, text] of Object.entries(files)) put(path, text, 'utf8');
  for (const [path, bytes] of Object.entries(repository)) put(path, bytes, 'base64');
}

/** @param {GoldenRun} run */
export function save(run) {
  const path = join(GOLDEN, run.version, `${run.recipe}.${run.moment}.json.br`);
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) throw new Error(`${path} is there already: a golden run is never replaced`);
  writeFileSync(path, brotliCompressSync(JSON.stringify(run)));
}

/**
 * Lists every golden run of every release.
 * @returns {{ title: string, load: () => GoldenRun }[]}
 */
export function goldenRuns() {
  const names = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json.br'));
  return names.sort().map((name) => ({
    title: name.replace(/\.json\.br$/, ''),
    load: () => JSON.parse(brotliDecompressSync(readFileSync(join(GOLDEN, name))).toString('utf8')),
  }));
}
