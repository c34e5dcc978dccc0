import { isAbsolute, posix, relative } from 'node:path';
import { findReserved } from '../base/reserved.js';
import type { Baseline } from './baseline.js';
import { NESTED_MARK } from './git.js';

/** Handles paths relative to the work tree: those named by globs or results, and changed ones. */

// Loaded with `require` on first use, as in recipe/conditions/language.ts, since most calls match no patterns.
const picomatch = (): typeof import('picomatch') => require('picomatch');

/** Creates a test for whether a path matches a glob, is one of `single`, or is below a directory that either names. */
export function createGlobTest(globs: readonly string[], single: readonly string[] = []): (path: string) => boolean {
  // Most globs plainly name a file or a directory; for those the library is not loaded.
  const patterns = globs.filter((glob) => !/^[\w-][\w./ -]*$/.test(glob));
  // With the flag `s`, a pattern also matches line breaks, which a name may contain.
  const fits = patterns.length === 0 ? () => false : picomatch()(patterns, { dot: true, flags: 's' });
  const whole = new Set([...single, ...globs.map((glob) => glob.replace(/\/+$/, ''))]);
  return (path) => fits(path) || whole.has(path) || listParents(path).some((parent) => whole.has(parent));
}

/**
 * Creates a test for whether a todo may change a path. It may change the paths that `files` and `charged` name, or any
 * path if `files` is empty, but never a reserved path, even if a glob matches it (harness.md, Guard).
 */
export function createFilesTest(files: readonly string[], charged: readonly string[] = []): (path: string) => boolean {
  const fits = files.length === 0 ? () => true : createGlobTest(files, charged);
  return (path) => fits(path) && findReserved(path) === null;
}

/** Lists the directories that contain a path, outermost first. */
export function listParents(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Creates a test for whether a path is one of these or below one of them; `.` stands for everything. */
export function createPathTest(paths: readonly string[]): (path: string) => boolean {
  const named = new Set(paths);
  return (path) => named.has('.') || named.has(path) || listParents(path).some((parent) => named.has(parent));
}

/** Makes paths relative to the work tree and normalizes them; one outside begins with `..`. Leaves out empty paths. */
export function normalizePaths(workTree: string, paths: readonly string[]): string[] {
  return paths
    .filter((path) => path.trim() !== '')
    .map((path) =>
      posix.normalize((isAbsolute(path) ? relative(workTree, path) : path) || '.').replace(/(?<=.)\/+$/, ''),
    );
}

/** Lists the dirty paths that were not dirty, or had different content, at an earlier moment. */
export function listChangedPaths(now: Baseline, since: Baseline): string[] {
  return Object.keys(now.dirty).filter(
    (path) => !Object.hasOwn(since.dirty, path) || now.dirty[path] !== since.dirty[path],
  );
}

/** Creates a test for whether a path is the user's: it, or a path above or below it, was dirty when the run began. */
export function createUserChangeTest(before: Baseline): (path: string) => boolean {
  const users = new Set(Object.keys(before.dirty).flatMap((path) => [path, ...listParents(path)]));
  return (path) => users.has(path) || listParents(path).some((one) => Object.hasOwn(before.dirty, one));
}

/** Matches a byte that is not valid UTF-8, as `decodeName` escapes it. */
export const ESCAPED_NAME = /\\x[89a-f][0-9a-f]/;

/** Returns whether a path cannot be committed: it is a nested repository, or its name is not UTF-8. */
export function isUncommittable(path: string, { dirty }: Baseline): boolean {
  return ESCAPED_NAME.test(path) || dirty[path]?.startsWith(NESTED_MARK) === true;
}
