import { closeSync, constants, fsyncSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.js';
import { sha256 } from '../base/sha256.js';
import { MAX_DOCUMENT } from './document.js';
import { syncDirectory, writeAll } from './durable.js';
import { isMissing, readRegular, statsAt } from './inside.js';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Whatever stands in its place is neither followed nor waited for. */
const WRITING = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;

/**
 * Writes contents under their digests; those that are there already, and whole, are left alone. All are durable at the end.
 * Under the run's lock only: the temporary name is the same for everybody.
 * @param made collects the paths of files that came into being, also when it fails
 * @throws system errors
 */
export function writeObjects(directory: string, contents: ReadonlyMap<string, Buffer>, made: string[]): void {
  let changed = false;
  for (const [digest, content] of contents) {
    const path = join(directory, digest);
    if (readObject(directory, digest)?.length === content.length) continue;
    const temporary = `${path}.tmp`;
    made.push(temporary, path);
    changed = true;
    const descriptor = openSync(temporary, WRITING, 0o666);
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
  const path = join(directory, digest);
  try {
    if (statsAt(path) === undefined) return null;
    const content = readRegular(path, MAX_DOCUMENT);
    return content !== null && sha256(content) === digest ? content : null;
  } catch (error) {
    // A link was not made by us, wherever it leads.
    if (isMissing(error) || systemCode(error) === 'ELOOP') return null;
    throw error;
  }
}
