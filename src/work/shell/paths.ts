import { UNKNOWN_WORD } from './options.js';

/** Handles paths as commands name them (harness.md, Guard). Pure: the caller tells which paths are directories. */

/** Stands for any file below the working directory: some `git` and `patch` calls may change files they do not name. */
export const ANY_PATH = '';

/**
 * A path that stands for git's own data: commits, branches, the stash and the index. If a word of the command follows
 * it, git takes that word as a file if such a file exists, and otherwise as a commit.
 */
export const GIT_DATA_PREFIX = '.git/*/';

/** Splits a path that was made with `GIT_DATA_PREFIX`; returns null for any other path. */
export function findHistory(path: string): { directory: string; word: string } | null {
  const found = /^(?:(.*)\/)?\.git\/\*\/(.*)$/s.exec(path);
  return found && { directory: found[1] ?? '.', word: found[2] ?? '' };
}

/** Returns whether a path, as the command names it, is a directory. */
export type DirectoryTest = (path: string) => boolean;

/** Joins a directory and a path, which may be absolute; null if the path is relative and the directory is unknown. */
export function joinPaths(directory: string | null, path: string): string | null {
  if (path.startsWith('/') || path === '~' || path.startsWith('~/')) return path;
  if (directory === null) return null;
  return directory === '' ? path : path === ANY_PATH ? `${directory}/.` : `${directory}/${path}`;
}

/**
 * Replaces the part of a name that only the shell knows. It is no wildcard, because that would match existing files.
 */
const SOME = '…';

/** Returns the name that a path gets when put into another directory; null if only a directory's contents go there. */
export function findName(path: string): string | null {
  if (path === UNKNOWN_WORD) return SOME;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return ['', '.', '..'].includes(name) ? null : name.replace(/[*?]+/g, SOME);
}

/** Lists the paths of things that are put into a directory, each under its own name. */
export function listPathsInside(directory: string, things: readonly string[]): string[] {
  return things.map((thing) => {
    const name = findName(thing);
    return name === null ? directory : `${directory.replace(/(?<=.)\/+$/, '')}/${name}`;
  });
}
