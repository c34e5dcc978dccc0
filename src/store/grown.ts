import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** How often the file is looked at, in milliseconds, whatever the system says or fails to say of its changes. */
const LOOK_EVERY = 200;

/**
 * Resolves when the file at `path` is longer than `size` bytes or has become shorter, when `milliseconds` are over, or when
 * `signal` is aborted. Being told by the system only makes it quicker.
 */
export function grown(
  path: string,
  size: number,
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const changed = () => sizeOf(path) !== size;
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
    watcher = watched(dirname(path), look);
    if (signal.aborted || changed()) done();
  });
}

/** Null where the system has no watch to give: then looking now and then has to do. */
function watched(directory: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/** A file that cannot be seen is not as it was: whoever reads it then tells why. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return -1;
  }
}
