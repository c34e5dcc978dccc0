import { closeSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../base/sha256.js';
import { syncDirectory, writeAll } from './durable.js';
import { isMissing, readRegular } from './inside.js';

/**
 * Writes contents under their digests; those that are there already are left alone. All are durable at the end.
 * Under the run's lock only: the temporary name is the same for everybody.
 * @param made collects the paths of files that came into being, also when it fails
 * @throws system errors
 */
export function writeObjects(directory: string, contents: ReadonlyMap<string, Buffer>, made: string[]): void {
  let changed = false;
  for (const [digest, content] of contents) {
    const path = join(directory, digest);
    if (sizeOf(path) === content.length) continue;
    const temporary = `${path}.tmp`;
    made.push(temporary, path);
    changed = true;
    const descriptor = openSync(temporary, 'w');
    try {
      writeAll(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  }
  if (changed) syncDirectory(directory);
}

/** The content of that digest; null when it is absent or is not what its digest says. Throws system errors. */
export function readObject(directory: string, digest: string): Buffer | null {
  try {
    const content = readRegular(join(directory, digest), Number.MAX_SAFE_INTEGER);
    return content !== null && sha256(content) === digest ? content : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
