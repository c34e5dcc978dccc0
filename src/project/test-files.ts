import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { writeDurably } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';
import { openFileFinder } from './find-files.js';

/** The tests of a project's recipes, as files. */

const DIRECTORIES = ['.dev/recipes', '.dev/workflows'];

/** Lists the test files of a project: absolute paths, sorted. */
export function listTestFiles(root: string): string[] {
  const { find } = openFileFinder({});
  return DIRECTORIES.flatMap((directory) =>
    find(`${root}/${directory}`).map(({ path }) => `${root}/${directory}/${path}`),
  )
    .filter((path) => /\.test\.ya?ml$/.test(path))
    .sort();
}

/** Writes a file beside a test, or a report of tests. @param path absolute @throws DevCliError `IO` */
export function writeTestFile(path: string, content: string, root: string): void {
  withIoErrors(path, root, () => mkdirSync(dirname(path), { recursive: true }));
  writeDurably(path, content, root);
}

/**
 * Waits until something changes below the directories of a project's recipes.
 * @returns false when `signal` was given first
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
      // An editor changes a file in several steps.
      setTimeout(() => resolve(changed), changed ? 100 : 0);
    };
    const abort = () => settle(false);
    signal.addEventListener('abort', abort);
    if (signal.aborted || watchers.length === 0) settle(false);
  });
}

/** Waits for a directory that is not there; one whose own is not there either has nothing that changes. */
function watchForDirectory(directory: string, onMade: () => void): FSWatcher[] {
  try {
    return [watch(dirname(directory), (_, name) => name === basename(directory) && onMade())];
  } catch {
    return [];
  }
}
