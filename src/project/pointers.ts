import { join } from 'node:path';
import { isName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { removeFile } from '../store/documents.js';
import { ensureDirectory, syncDirectory, writeDurably } from '../store/durable.js';
import { readRegularText, resolveDirectory } from '../store/inside.js';
import { HOME } from './layout.js';

/** More than any of these files has, in bytes. */
const LARGEST = 1024 * 1024;

/** What is known of a session of a harness. */
export interface SessionMark {
  /** The run that it is bound to. */
  run: string | null;
  /** Whether hooks have told of it. */
  heard: boolean;
  /** Runs that it was bound to before, the latest first: once the run it is bound to has ended, a live one of these judges it. */
  before: readonly string[];
}

/** Reads a session's file (storage.md, Marks of the root). */
export function parseSession(text: string): SessionMark {
  const [run = '', ...more] = text.trimEnd().split('\n');
  const before = more.filter((line) => line.startsWith('before ')).map((line) => line.slice('before '.length));
  return { run: isName(run) ? run : null, heard: run === '' || more.includes('heard'), before: before.filter(isName) };
}

/**
 * Reads what is known of a session: a file for each below `.dev/sessions`, named by its id, or by the id's digest if it cannot be a
 * file name. Null where there is none. Throws system errors.
 * @param root absolute, without links
 */
export function readSession(root: string, id: string): SessionMark | null {
  const text = readSmall(join(findSessions(root), nameSessionFile(id)));
  return text === null ? null : parseSession(text);
}

/** Writes or (null) removes the file of a session. Under the common lock. Throws system errors. */
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

/** The directory of the files of sessions. Throws system errors. */
export function findSessions(root: string): string {
  return resolveDirectory(root, `${HOME}/sessions`);
}

/** The name of a session's file. */
export function nameSessionFile(id: string): string {
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
  return readRegularText(path, LARGEST);
}
