import { closeSync, constants, lstatSync, openSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { getSystemCode } from '../base/errors.js';
import { sha256 } from '../base/sha256.js';

/** Size in bytes above which a file is identified by size and mtime, since hashing it would take seconds per call. */
const LARGE = 32 * 1024 * 1024;

/**
 * Computes the digest of what is at a path, without following links or opening anything but a regular file.
 * @returns the SHA-256 of a regular file in hexadecimal; `link:` and the SHA-256 of a symbolic link's target; `large:`
 * or `unreadable:` with size and mtime; `special:` for a fifo, socket or device; null for a directory, or if nothing is
 * there
 */
export function digestContent(path: Buffer): string | null {
  try {
    const facts = lstatSync(path);
    if (facts.isDirectory()) return null;
    if (facts.isSymbolicLink()) return `link:${sha256(readlinkSync(path, { encoding: 'buffer' }))}`;
    if (!facts.isFile()) return 'special:';
    if (facts.size > LARGE) return `large:${renderSizeAndTime(facts)}`;
    return digestFile(path, facts);
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function digestFile(path: Buffer, facts: Stats): string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (getSystemCode(error) === 'EACCES') return `unreadable:${renderSizeAndTime(facts)}`;
    throw error;
  }
  try {
    return sha256(readFileSync(file));
  } finally {
    closeSync(file);
  }
}

function renderSizeAndTime(facts: Stats): string {
  return `${facts.size}-${Math.trunc(facts.mtimeMs)}`;
}

/** Returns whether a path leads to a directory; false if it is gone or cannot be reached. */
export function isDirectory(path: string | Buffer): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
