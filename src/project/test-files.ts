import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { writeDurably } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';
import { openFileFinder } from './find-files.js';

/** Handles the files in a project's directories of recipes and their tests. */

const DIRECTORIES = ['.dev/recipes', '.dev/workflows'];

/** Lists the test files of a project as sorted absolute paths. */
export function listTestFiles(root: string): string[] {
  const { find } = openFileFinder({});
  return DIRECTORIES.flatMap((directory) =>
    find(`${root}/${directory}`).map(({ path }) => `${root}/${directory}/${path}`),
  )
    .filter((path) => /\.test\.ya?ml$/.test(path))
    .sort();
}

/** Writes a file beside a test, or a test report. @param path absolute @throws DevCliError `IO` */
export function writeTestFile(path: string, content: string, root: string): void {
  withIoErrors(path, root, () => mkdirSync(dirname(path), { recursive: true }));
  writeDurably(path, content, root);
}

/**
 * Waits until something changes below the project's recipe directories or the given ones.
 * @returns false if `signal` was aborted first
 */
export async function awaitChange(root: string, directories: readonly string[], signal: AbortSignal): Promise<boolean> {
  const watched = [...new Set([...DIRECTORIES.map((directory) => `${root}/${directory}`), ...directories])];
  return new Promise((resolve) => {
    const watchers = watched.flatMap((directory) => {
      try {
        return watch(directory, { recursive: true }, () => settle(true));
      } catch {
        return watchForDirectory(directory, () => settle(true));
      }
    });
    const settle = (changed: boolean) => {
      for (const watcher of watchers) watcher.close();
      signal.removeEventListener('abort', abort);
      // An editor saves a file in several steps, so this waits for the rest of them.
      setTimeout(() => resolve(changed), changed ? 100 : 0);
    };
    const abort = () => settle(false);
    signal.addEventListener('abort', abort);
    if (signal.aborted || watchers.length === 0) settle(false);
  });
}

/** Waits until a missing directory is created. If its parent is missing, too, watches nothing. */
function watchForDirectory(directory: string, onMade: () => void): FSWatcher[] {
  try {
    return [watch(dirname(directory), (_, name) => name === basename(directory) && onMade())];
  } catch {
    return [];
  }
}
