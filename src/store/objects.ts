import { closeSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory, writeAll } from './durable.js';
import { isMissing, readRegular } from './inside.js';
import { sha256 } from './redo.js';

/**
 * Writes contents under their digests; those that are there already are left alone. All are durable at the end.
 * Under the run's lock only: the temporary name is the same for everybody.
 * @returns paths of the files that were written
 * @throws system errors
 */
export function writeObjects(directory: string, contents: ReadonlyMap<string, Buffer>): string[] {
  const written: string[] = [];
  for (const [digest, content] of contents) {
    const path = join(directory, digest);
    if (sizeOf(path) === content.length) continue;
    const temporary = `${path}.tmp`;
    const descriptor = openSync(temporary, 'w');
    try {
      writeAll(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
    written.push(path);
  }
  if (written.length > 0) syncDirectory(directory);
  return written;
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
