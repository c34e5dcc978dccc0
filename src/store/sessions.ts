import { join } from 'node:path';
import { isName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { removeFile } from './documents.js';
import { ensureDirectory, syncDirectory, writeDurably } from './durable.js';
import { insideDirectory, isMissing, readRegular } from './inside.js';

const LIMIT = 4096;

/**
 * Which run a harness session is bound to: one file per session under `.dev/sessions` (storage.md, Layout).
 * The ids come from harnesses; one that could not be a file name is filed under its digest.
 * @param root absolute, without links
 */
export function readSession(root: string, id: string): string | null {
  try {
    const name =
      readRegular(join(sessions(root), fileName(id)), LIMIT)
        ?.toString('utf8')
        .trim() ?? '';
    return isName(name) ? name : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Binds a session to a run, or (null) releases it. Under the root's lock. Throws system errors. */
export function writeSession(root: string, id: string, stream: string | null): void {
  const directory = sessions(root);
  const path = join(directory, fileName(id));
  if (stream !== null) {
    ensureDirectory(directory, root);
    writeDurably(path, `${stream}\n`, root);
  } else if (removeFile(path)) {
    syncDirectory(directory);
  }
}

function sessions(root: string): string {
  return insideDirectory(root, '.dev/sessions');
}

function fileName(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id) ? id : `sha256.${sha256(Buffer.from(id))}`;
}
