// Digests of directories, with which a test checks that nothing in them has changed.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the mode and digest of every file, link and directory, by path.
 * @param {string} base
 * @param {RegExp} without matches the paths to leave out, with everything below them
 * @returns {Record<string, string>}
 */
export function digest(base, without) {
  const walk = (directory) =>
    readdirSync(join(base, directory)).flatMap((name) => {
      const path = join(directory, name);
      if (without.test(path)) return [];
      const stat = lstatSync(join(base, path));
      if (stat.isDirectory()) return [[`${path}/`, stat.mode.toString(8)], ...walk(path)];
      const content = stat.isSymbolicLink() ? readlinkSync(join(base, path)) : readFileSync(join(base, path));
      return [[path, `${stat.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`]];
    });
  return Object.fromEntries(walk('.'));
}
