// outside: hook

import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { ignoreFailure, pathError, replaceErrorPath, withIoErrors } from './io.js';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Flags that open a file for writing without following links and without blocking on a fifo. */
const WRITING = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;

// Loaded with `require` on first use, as in recipe/conditions/language.ts, so that calls that only read never load it.
const writeFileAtomic = (): typeof import('write-file-atomic') => require('write-file-atomic');

/**
 * Replaces a file so that a crash or a power cut leaves either the old or the new content, whole. Refuses a symbolic
 * link at the path, because its target is not dev-cli's file.
 * @param root for messages: paths inside it are shown relative to it
 * @throws DevCliError `IO`
 */
export function writeDurably(absolutePath: string, content: string | Uint8Array, root: string | null = null): void {
  withIoErrors(absolutePath, root, () => {
    if (lstatSync(absolutePath, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw pathError(absolutePath, root, 'it is a symbolic link', 'Move the link away, then repeat the same call.');
    }
    replaceFile(absolutePath, content, root, { durable: true });
    syncDirectory(dirname(absolutePath));
  });
}

/**
 * Creates a directory and its parents, durably.
 * @returns the topmost directory that was created, or undefined
 * @throws DevCliError `IO`
 */
export function ensureDirectory(absolutePath: string, root: string | null = null): string | undefined {
  return withIoErrors(absolutePath, root, () => {
    const made = makeDirectories(absolutePath);
    syncMade(made);
    return made.at(-1);
  });
}

/** How often directories are made anew that other processes took away meanwhile, because they were empty. */
const TRIES = 10;

/** Creates a directory and its parents; returns those created, deepest first. On a system error, removes them again. */
export function makeDirectories(path: string): string[] {
  for (let tried = 1; ; tried += 1) {
    try {
      return makeMissing(path);
    } catch (error) {
      if (tried === TRIES || !isTakenAway(path, error)) throw error;
    }
  }
}

function makeMissing(path: string): string[] {
  // Not Node's recursive `mkdir`, which never returns if the directory cannot be created, for example in /proc.
  if (makeDirectory(path)) return [path];
  if (existsSync(path)) return [];
  const above = makeMissing(dirname(path));
  try {
    return makeDirectory(path, true) ? [path, ...above] : above;
  } catch (error) {
    for (const made of above) ignoreFailure(() => rmdirSync(made));
    throw error;
  }
}

/** Whether a directory, or its parent, was there and is gone: the error says the opposite of what the disk says now. */
function isTakenAway(path: string, error: unknown): boolean {
  const code = getSystemCode(error);
  return code === 'ENOENT' || (code === 'EEXIST' && lstatSync(path, { throwIfNoEntry: false }) === undefined);
}

/**
 * Creates one directory.
 * @returns whether it was created; false if it already exists, or if its parent is missing and `isLast` is false
 */
function makeDirectory(path: string, isLast = false): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    if (getSystemCode(error) === 'ENOENT' && !isLast) return false;
    throw error;
  }
}

/** Makes the directories returned by `makeDirectories` durable. Throws system errors. */
export function syncMade(made: readonly string[]): void {
  for (const directory of made) syncDirectory(dirname(directory));
}

/**
 * Replaces a file in one step; the caller must have checked for links. Also throws system errors.
 * @param options.durable whether to sync the content; otherwise a power cut may leave an empty file. The caller syncs
 * the directory, once for several files
 * @throws DevCliError `IO`
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  root: string | null,
  { durable }: { durable: boolean },
): void {
  const bytes = Buffer.from(content);
  try {
    writeFileAtomic().sync(path, bytes, { fsync: durable });
  } catch (error) {
    throw replaceErrorPath(error, path);
  }
  // The library does not notice a short write to a full disk.
  const { size } = statSync(path);
  if (size === bytes.length) return;
  throw pathError(
    path,
    root,
    `only ${size} of ${bytes.length} bytes were written`,
    'Free some space on that disk, then repeat the same call.',
  );
}

/** Writes a file and syncs its content; the caller syncs its directory. Throws system errors. */
export function writeSynced(path: string, bytes: Buffer, prepare?: (descriptor: number) => void): void {
  const descriptor = openSync(path, WRITING, 0o666);
  try {
    prepare?.(descriptor);
    writeAllBytes(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Syncs a directory, which makes the names in it durable. Throws system errors. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes `path` reachable after a power cut: syncs every directory from `top` (inclusive) to the parent of `path`. */
export function syncAncestors(path: string, top: string): void {
  for (let at = path; at !== top && at !== dirname(at); at = dirname(at)) syncDirectory(dirname(at));
}

/** Writes all of `bytes` even after a short write, which a full disk causes before it fails. Throws system errors. */
export function writeAllBytes(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}
