import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { clearUp } from './clear-up.js';
import { pathError, withIoErrors } from './io.js';

/**
 * Replaces a file so that after a crash or a power cut either the old or the new content is there, whole.
 * @param root for messages: paths inside it are shown relative to it
 * @throws DevCliError `IO`
 */
export function writeDurably(absolutePath: string, content: string | Uint8Array, root: string | null = null): void {
  withIoErrors(absolutePath, root, () => {
    replaceFile(absolutePath, content, root);
    syncDirectory(dirname(absolutePath));
  });
}

/**
 * Makes a directory and its parents; those made are durable.
 * @returns the topmost directory that had to be made, or undefined
 * @throws DevCliError `IO`
 */
export function ensureDirectory(absolutePath: string, root: string | null = null): string | undefined {
  return withIoErrors(absolutePath, root, () => {
    const made = makeDirectories(absolutePath);
    syncMade(made);
    return made.at(-1);
  });
}

/** Makes a directory and its parents and returns those that were not there, deepest first. Throws system errors. */
export function makeDirectories(path: string): string[] {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return [];
  const made = [path];
  for (let at = path; at !== first; made.push(at)) at = dirname(at);
  return made;
}

/** Makes durable what `makeDirectories` made. Throws system errors. */
export function syncMade(made: readonly string[]): void {
  for (const directory of made) syncDirectory(dirname(directory));
}

/** Like `writeDurably`, for a caller who syncs the directory once for several files. Throws system errors too. */
export function replaceFile(path: string, content: string | Uint8Array, root: string | null): void {
  const bytes = Buffer.from(content);
  // write-file-atomic does the same and would be half the time of an acknowledgement: it loads crypto and worker threads,
  // and listens to every signal. No two processes have one temporary name, and no two writes of one process overlap.
  const temporary = `${path}.${String(process.pid).padStart(8, '0')}`;
  try {
    writeWhole(temporary, bytes, lstatSync(path, { throwIfNoEntry: false }));
    renameSync(temporary, path);
  } catch (error) {
    clearUp(() => unlinkSync(temporary));
    throw error;
  }
  const { size } = statSync(path);
  if (size === bytes.length) return;
  throw pathError(
    path,
    root,
    `only ${size} of ${bytes.length} bytes were written`,
    'Free some space on that disk, then repeat the same call.',
  );
}

/** Writes a file anew and makes its content durable. @param like the file it will replace, whose owner and mode it gets */
function writeWhole(path: string, bytes: Buffer, like: Stats | undefined): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const descriptor = openSync(path, flags, 0o666);
  try {
    writeAll(descriptor, bytes);
    if (like?.isFile()) {
      const made = fstatSync(descriptor);
      // Only root may give a file away; anybody else replaces by a file of their own, as an editor does.
      if (made.uid !== like.uid || made.gid !== like.gid) clearUp(() => fchownSync(descriptor, like.uid, like.gid));
      if (made.mode !== like.mode) fchmodSync(descriptor, like.mode & 0o7777);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a directory durable. Throws system errors. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes durable that `path` is reachable from `top`: syncs every directory between the two, `top` included, `path` not. */
export function syncAncestors(path: string, top: string): void {
  for (let at = path; at !== top && at !== dirname(at); at = dirname(at)) syncDirectory(dirname(at));
}

/** Writes all of `bytes`; a disk that fills up shows as a short write first. Throws system errors. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}
