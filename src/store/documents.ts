import { closeSync, constants, openSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { buildUnusableError, type DocumentReader, type FileFacts, MAX_DOCUMENT } from '../base/files.js';
import { sha256 } from '../base/sha256.js';
import { makeDirectories, replaceFile, syncDirectory, syncMade, writeAllBytes, writeSynced } from './durable.js';
import { isMissing, readRegular, readStats, resolvePath } from './inside.js';
import { ignoreFailure, pathError, withIoErrors } from './io.js';
import { type StoreLayout, toRootRelative } from './layout.js';
import type { DocumentWrite } from './medium.js';

const { O_APPEND, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Creates a reader of a stream's documents on disk. Use it for one call of dev-cli only: it checks each directory for
 * links once, and does not notice a link created later.
 * @param root absolute, without links
 */
export function createDiskFiles(root: string, layout: StoreLayout, stream: string): DocumentReader {
  const directories = new Set<string>();

  /** Returns the real path, or why it cannot be used. */
  function find(path: string): { path: string } | 'outside' | 'special' {
    const inside = toRootRelative(layout, stream, path);
    if (inside === null) return 'outside';
    const location = resolvePath(root, join(root, inside), directories);
    switch (location.kind) {
      case 'inside':
        return { path: location.path };
      case 'outside':
        return 'outside';
      case 'loop':
        return 'special';
    }
  }

  function facts(path: string): FileFacts {
    return withIoErrors(join(root, path), root, () => {
      const found = find(path);
      return typeof found === 'string' ? { kind: found } : readFacts(found.path);
    });
  }

  return {
    facts,

    read(path) {
      return withIoErrors(join(root, path), root, () => {
        const found = find(path);
        if (typeof found === 'string') throw buildUnusableError(path, found);
        const seen = readFacts(found.path);
        if (seen.kind === 'missing') return null;
        if (seen.kind !== 'file') throw buildUnusableError(path, seen.kind);
        const content = seen.size > MAX_DOCUMENT ? null : readRegular(found.path, MAX_DOCUMENT);
        if (content === null) throw buildUnusableError(path, 'large');
        return content;
      });
    },

    list(directory) {
      return withIoErrors(join(root, directory), root, () => {
        const found = find(directory);
        if (typeof found === 'string') throw buildUnusableError(directory, found);
        try {
          return readdirSync(found.path).sort();
        } catch (error) {
          if (isMissing(error)) return [];
          throw error;
        }
      });
    },
  };
}

/**
 * Writes documents. Those marked `durable` are durable when it returns, with one sync per directory.
 * @throws DevCliError `IO`, system errors
 */
export function writeDocuments(root: string, placements: readonly DocumentWrite[]): void {
  const changed = new Set<string>();
  for (const placement of placements) {
    const directory = writeDocument(root, placement);
    if (directory !== null && placement.durable) changed.add(directory);
  }
  for (const directory of changed) syncDirectory(directory);
}

/** Writes one document; returns its directory, or null if nothing changed. */
function writeDocument(root: string, { path, content, room, append, durable, aside }: DocumentWrite): string | null {
  if (room) return null;
  // Resolved anew for each document, so that nothing is written through a link created meanwhile.
  const directories = new Set<string>();
  const directory = resolvePath(root, dirname(join(root, path)), directories);
  if (directory.kind !== 'inside') throw isLinkOut(root, path);
  const target = join(directory.path, basename(path));
  if (aside !== undefined) keepAside(target, aside);
  if (content === null) return removeFile(target) ? directory.path : null;
  if (resolvePath(root, target, directories).kind !== 'inside') throw isLinkOut(root, path);
  if (append) {
    appendTo(target, content);
    return directory.path;
  }
  const made = directories.has(directory.path) ? [] : makeDirectories(directory.path);
  if (durable) syncMade(made);
  replaceFile(target, content, root, { durable });
  return directory.path;
}

/** Appends to a file. Does not create a missing one: its earlier content is lost, so it must be rendered whole. */
function appendTo(path: string, content: Buffer): void {
  if (readFacts(path).kind !== 'file') return;
  const descriptor = openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    writeAllBytes(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

function keepAside(target: string, aside: number): void {
  const beside = `${target}.aside-${aside}`;
  renameSync(
    target,
    findFreeName((n) => (n === 1 ? beside : `${beside}.${n}`)),
  );
}

/** Removes those of `directories` that are empty, deepest first, after a commit that failed. */
export function clearEmptyDirectories(directories: readonly string[]): void {
  for (const directory of directories) ignoreFailure(() => rmdirSync(directory));
}

/** Removes a file; returns false if there was none. Throws system errors. */
export function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Returns the first of the names for 1, 2, … that is not taken. Throws system errors. */
export function findFreeName(name: (n: number) => string): string {
  for (let n = 1; ; n++) {
    if (readFacts(name(n)).kind === 'missing') return name(n);
  }
}

function readFacts(path: string): FileFacts {
  const stats = readStats(path);
  if (stats === undefined) return { kind: 'missing' };
  if (stats.isDirectory()) return { kind: 'directory' };
  if (!stats.isFile()) return { kind: 'special' };
  return { kind: 'file', size: stats.size, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs, inode: stats.ino };
}

function isLinkOut(root: string, path: string): Error {
  return pathError(
    join(root, path),
    root,
    'it leads out of the project',
    'Replace the link with a file or directory, then repeat the same call.',
  );
}

/**
 * Writes contents to files named after their digests, unless they are already there and intact. All are durable when it
 * returns. Call it only under the stream's lock, because every process uses the same temporary names.
 * @param made collects the paths of the files created, even when it fails
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
    writeSynced(temporary, content);
    renameSync(temporary, path);
  }
  if (changed) syncDirectory(directory);
}

/** Returns the content with this digest; null if it is missing or does not match the digest. Throws system errors. */
export function readObject(directory: string, digest: string): Buffer | null {
  const path = join(directory, digest);
  try {
    if (readStats(path) === undefined) return null;
    const content = readRegular(path, MAX_DOCUMENT);
    return content !== null && sha256(content) === digest ? content : null;
  } catch (error) {
    // A store creates no links here, so a link does not count as content, wherever it leads.
    if (isMissing(error) || getSystemCode(error) === 'ELOOP') return null;
    throw error;
  }
}

/** Returns a document's digest; null if there is none, undefined if it is not a document (see `readDocument`). */
export function digestDocument(files: DocumentReader, path: string): string | null | undefined {
  if (files.facts(path).kind === 'missing') return null;
  const content = readDocument(files, path);
  return content === null ? undefined : sha256(content);
}

/** Returns a document's content; null if it is missing, a directory, a link out of the root, or larger than 8 MiB. */
export function readDocument(files: DocumentReader, path: string): Buffer | null {
  const facts = files.facts(path);
  return facts.kind === 'file' && facts.size <= MAX_DOCUMENT ? files.read(path) : null;
}

/** A stream's name and its layout. */
export interface StreamReference {
  layout: StoreLayout;
  stream: string;
}
