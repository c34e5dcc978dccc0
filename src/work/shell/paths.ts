import { UNKNOWN } from './options.js';

/** Paths as commands name them (harness.md, Guard). Pure: whether something is a directory, its caller knows. */

/** What `git` and `patch` may change anywhere below the directory. */
export const ANYTHING = '';

/**
 * Stands for what git keeps: commits, branches, the stash and what is staged. Behind it stands the word by which git may mean a commit
 * as well as a file: where that file is there, it is that.
 */
export const HISTORY = '.git/*/';

/** What a path that was made by `HISTORY` says; null for any other. */
export function findHistory(path: string): { directory: string; word: string } | null {
  const found = /^(?:(.*)\/)?\.git\/\*\/(.*)$/s.exec(path);
  return found && { directory: found[1] ?? '.', word: found[2] ?? '' };
}

/** Whether a path, as the command names it, is a directory. */
export type DirectoryTest = (path: string) => boolean;

/** Joins two paths, of which the second may be absolute; null where the directory is not known and counts. */
export function joinPaths(directory: string | null, path: string): string | null {
  if (path.startsWith('/') || path === '~' || path.startsWith('~/')) return path;
  if (directory === null) return null;
  return directory === '' ? path : path === ANYTHING ? `${directory}/.` : `${directory}/${path}`;
}

/** Stands in a name for what only the shell knows. A wildcard would mean what is there already. */
const SOME = '…';

/** The name that something gets in another directory; null where it brings what is in it, not itself. */
export function findName(path: string): string | null {
  if (path === UNKNOWN) return SOME;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return ['', '.', '..'].includes(name) ? null : name.replace(/[*?]+/g, SOME);
}

/** Where things come to lie that are put into a directory: each under its name. */
export function putInto(directory: string, things: readonly string[]): string[] {
  return things.map((thing) => {
    const name = findName(thing);
    return name === null ? directory : `${directory.replace(/(?<=.)\/+$/, '')}/${name}`;
  });
}
