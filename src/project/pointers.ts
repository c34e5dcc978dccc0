import { join } from 'node:path';
import { isName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { removeFile } from '../store/documents.js';
import { ensureDirectory, syncDirectory, writeDurably } from '../store/durable.js';
import { readRegularText, resolveDirectory } from '../store/inside.js';
import { DEV_DIRECTORY } from './layout.js';

/** Upper bound in bytes for these files. */
const LARGEST = 1024 * 1024;

/** The content of a harness session's file. */
export interface SessionMark {
  /** The run to which the session is bound. */
  run: string | null;
  /** Whether a hook has reported the session. */
  heard: boolean;
  /** Earlier runs of the session, latest first. Once its current run has ended, hooks use one of these that is live. */
  before: readonly string[];
}

/** Parses a session's file (storage.md, Marks of the root). */
export function parseSession(text: string): SessionMark {
  const [run = '', ...more] = text.trimEnd().split('\n');
  const before = more.filter((line) => line.startsWith('before ')).map((line) => line.slice('before '.length));
  return { run: isName(run) ? run : null, heard: run === '' || more.includes('heard'), before: before.filter(isName) };
}

/**
 * Reads a session's file below `.dev/sessions`. The file is named after the session's id, or after the id's digest if
 * the id cannot be a file name. Null if there is no file. Throws system errors.
 * @param root absolute, without links
 */
export function readSession(root: string, id: string): SessionMark | null {
  const text = readSmall(join(findSessions(root), nameSessionFile(id)));
  return text === null ? null : parseSession(text);
}

/** Writes a session's file or, for null, removes it. The caller must hold the common lock. Throws system errors. */
export function writeSessionFile(root: string, name: string, text: string | null): void {
  const directory = findSessions(root);
  const path = join(directory, name);
  if (text !== null) {
    ensureDirectory(directory, root);
    writeDurably(path, text, root);
  } else if (removeFile(path)) {
    syncDirectory(directory);
  }
}

/** Returns the directory of the session files. Throws system errors. */
export function findSessions(root: string): string {
  return resolveDirectory(root, `${DEV_DIRECTORY}/sessions`);
}

/** Returns the name of a session's file. */
export function nameSessionFile(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id) ? id : `sha256.${sha256(Buffer.from(id))}`;
}

/** Returns the path of the file that names the active run (storage.md, Marks of the root). @param home `<root>/.dev` */
export function getActivePath(home: string): string {
  return join(home, 'active-spec');
}

/** Reads the name of the active run, or null. Throws system errors. */
export function readActive(home: string): string | null {
  return nameIn(getActivePath(home));
}

function nameIn(path: string): string | null {
  const name = readSmall(path)?.trim() ?? '';
  return isName(name) ? name : null;
}

/** Reads a small file of the root; null if it is missing or not a regular file. Throws system errors. */
export function readSmall(path: string): string | null {
  return readRegularText(path, LARGEST);
}
