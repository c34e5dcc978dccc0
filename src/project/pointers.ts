import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { removeFile } from '../store/documents.js';
import { ensureDirectory, syncDirectory, writeDurably } from '../store/durable.js';
import { isMissing, readRegular, resolveDirectory } from '../store/inside.js';
import { HOME } from './layout.js';

/** More than any of these files has, in bytes. */
const LARGEST = 1024 * 1024;

/**
 * Reads which run a harness session is bound to: a file for each session below `.dev/sessions` (storage.md, Layout), named by
 * its id, or by the id's digest if it cannot be a file name.
 * @param root absolute, without links
 */
export function readSession(root: string, id: string): string | null {
  return nameIn(join(sessions(root), fileName(id)));
}

/** Binds a session to a run, or (null) releases it. Under the common lock. Throws system errors. */
export function writeSession(root: string, id: string, run: string | null): void {
  const directory = sessions(root);
  const path = join(directory, fileName(id));
  if (run !== null) {
    ensureDirectory(directory, root);
    writeDurably(path, `${run}\n`, root);
  } else if (removeFile(path)) {
    syncDirectory(directory);
  }
}

/** Notes that hooks tell of a session, which is bound to no run yet. Under the common lock. Throws system errors. */
export function noteSession(root: string, id: string): void {
  const directory = sessions(root);
  const path = join(directory, fileName(id));
  if (readSmall(path) !== null) return;
  ensureDirectory(directory, root);
  writeDurably(path, '\n', root);
}

/** Whether hooks have told of a session, or it is bound to a run; a file with anything else in it tells nothing. Throws system errors. */
export function isSessionNoted(root: string, id: string): boolean {
  const text = readSmall(join(sessions(root), fileName(id)))?.trim();
  return text !== undefined && (text === '' || isName(text));
}

/** Whether a session is bound to this run. Throws system errors. */
export function hasBoundSession(root: string, run: string): boolean {
  const directory = sessions(root);
  return listNames(directory).some((name) => nameIn(join(directory, name)) === run);
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function sessions(root: string): string {
  return resolveDirectory(root, `${HOME}/sessions`);
}

function fileName(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id) ? id : `sha256.${sha256(Buffer.from(id))}`;
}

/** The file that names the active run (storage.md, Marks of the root). @param home `<root>/.dev` */
export function activePath(home: string): string {
  return join(home, 'active-spec');
}

/** The run named there, or null. Throws system errors. */
export function readActive(home: string): string | null {
  return nameIn(activePath(home));
}

function nameIn(path: string): string | null {
  const name = readSmall(path)?.trim() ?? '';
  return isName(name) ? name : null;
}

/** The text of a small file of the root; null where there is none, or something else. Throws system errors. */
export function readSmall(path: string): string | null {
  try {
    return readRegular(path, LARGEST)?.toString('utf8') ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
