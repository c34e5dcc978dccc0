import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { systemCode } from '../base/errors.js';
import { removeFile } from './documents.js';
import { syncAncestors, writeAll } from './durable.js';
import { pathError, shown } from './io.js';
import type { Bytes } from './journal.js';

/** Opens the journal at `path` for reading; an absent one is empty. Throws system errors. */
export function withJournal<T>(path: string, root: string, use: (bytes: Bytes) => T): T {
  const name = shown(path, root);
  const descriptor = openForReading(path);
  if (descriptor === null) return use({ name, size: 0, read: () => Buffer.alloc(0) });
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile())
      throw pathError(path, root, 'it is no regular file', 'Move what is there away, then repeat the same call.');
    const { size } = stats;
    return use({
      name,
      size,
      read(from, to) {
        const piece = Buffer.allocUnsafe(to - from);
        return piece.subarray(0, readSync(descriptor, piece, 0, piece.length, from));
      },
    });
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Appends `text` to the journal of `size` bytes in one write and makes it durable: this is the commit. When it fails, the
 * journal is as it was.
 * @param root the directory from which a new journal has to be reachable after a power cut
 * @throws system errors
 */
export function appendToJournal(path: string, root: string, text: string, size: number): void {
  const bytes = Buffer.from(text);
  const descriptor = openSync(
    path,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o666,
  );
  try {
    const written = writeSync(descriptor, bytes);
    // A short write is how a full disk, or a limit, shows first; the next one says which.
    if (written < bytes.length) writeAll(descriptor, bytes.subarray(written));
    fsyncSync(descriptor);
    if (size === 0) syncAncestors(path, root);
  } catch (error) {
    if (size === 0) removeFile(path);
    else ftruncateSync(descriptor, size);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Cuts a torn end off. Throws system errors. */
export function cutJournal(path: string, size: number): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    ftruncateSync(descriptor, size);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the run's directory holds a journal with something in it. */
export function hasJournal(path: string): boolean {
  const descriptor = openForReading(path);
  if (descriptor === null) return false;
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() && stats.size > 0;
  } finally {
    closeSync(descriptor);
  }
}

function openForReading(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
