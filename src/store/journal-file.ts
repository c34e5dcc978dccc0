import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  watch,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { removeFile } from './documents.js';
import { syncAncestors, writeAllBytes } from './durable.js';
import { pathError, renderPath } from './io.js';
import type { JournalReader } from './journal.js';

/** Milliseconds between polls of a journal. It is polled even where the system can report changes. */
const LOOK_EVERY = 200;

/** Opens the journal at `path` for reading; a missing one counts as empty. Throws system errors. */
export function withJournal<T>(
  path: string,
  { root, noun }: { root: string; noun: string },
  use: (bytes: JournalReader) => T,
): T {
  // A getter, because only messages need the name, and `list` opens every journal.
  const buildReader = (size: number, read: JournalReader['read']): JournalReader => ({
    get name() {
      return renderPath(path, root);
    },
    noun,
    size,
    read,
  });
  const descriptor = openForReading(path);
  if (descriptor === null) return use(buildReader(0, () => Buffer.alloc(0)));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile())
      throw pathError(path, root, 'it is not a regular file', 'Move what is there away, then repeat the same call.');
    return use(
      buildReader(stats.size, (from, to) => {
        const piece = Buffer.allocUnsafe(to - from);
        return piece.subarray(0, readSync(descriptor, piece, 0, piece.length, from));
      }),
    );
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Appends `text` to the journal of `size` bytes and syncs it; with that, the commit is made. If this fails, the journal
 * is cut back to `size` bytes.
 * @param root the directory from which a new journal must be reachable after a power cut
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
    // A full disk first causes a short write; writing the rest then fails with the reason.
    if (written < bytes.length) writeAllBytes(descriptor, bytes.subarray(written));
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

/** Cuts off the torn end of a journal. Throws system errors. */
export function cutJournal(path: string, size: number): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    ftruncateSync(descriptor, size);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openForReading(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (getSystemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Resolves when the size of the file at `path` differs from `size` bytes, after `milliseconds`, or when `signal` is
 * aborted. Change notifications from the system only make it react sooner than the next poll.
 */
export function waitForGrowth(
  path: string,
  size: number,
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const changed = () => readSize(path) !== size;
    let watcher: FSWatcher | null = null;
    const done = (): void => {
      clearInterval(looking);
      clearTimeout(ending);
      signal.removeEventListener('abort', done);
      watcher?.close();
      resolve();
    };
    const look = (): void => {
      if (changed()) done();
    };
    const looking = setInterval(look, LOOK_EVERY);
    const ending = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    watcher = watchFile(dirname(path), look);
    if (signal.aborted || changed()) done();
  });
}

/** Watches a directory; null if the system cannot do so, in which case polling has to suffice. */
function watchFile(directory: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/** Returns a file's size, or -1 on an error, so that the error counts as a change and reading the file reports it. */
function readSize(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return -1;
  }
}
