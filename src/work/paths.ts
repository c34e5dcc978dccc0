import { isAbsolute, posix, relative } from 'node:path';
import { type Baseline, NESTED_MARK } from './git.js';

/** Paths in a work tree, relative to it: what globs and results name, and what changed between two looks. */

// A plain `require`, as in recipe/conditions.ts: most calls look at no patterns.
const picomatch = (): typeof import('picomatch') => require('picomatch');

/** Whether a path is one of those that globs stand for, lies below one that names a directory, or is named by itself. */
export function createGlobTest(globs: readonly string[], single: readonly string[] = []): (path: string) => boolean {
  // A name may hold a line break.
  const fits = picomatch()([...globs], { dot: true, flags: 's' });
  const whole = new Set([...single, ...globs.map((glob) => glob.replace(/\/+$/, ''))]);
  return (path) => fits(path) || whole.has(path) || listParents(path).some((parent) => whole.has(parent));
}

/** The directories on the way to a path. */
export function listParents(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a path is one of these, or lies below one of them; `.` stands for everything. */
export function createPathTest(paths: readonly string[]): (path: string) => boolean {
  const named = new Set(paths);
  return (path) => named.has('.') || named.has(path) || listParents(path).some((parent) => named.has(parent));
}

/** Paths relative to the work tree, however they are written; one that leads out of it begins with `..`. */
export function normalizePaths(workTree: string, paths: readonly string[]): string[] {
  return paths
    .filter((path) => path.trim() !== '')
    .map((path) =>
      posix.normalize((isAbsolute(path) ? relative(workTree, path) : path) || '.').replace(/(?<=.)\/+$/, ''),
    );
}

/** The paths that differ from a commit now and did not, or did in another way, at an earlier moment. */
export function listChangedPaths(now: Baseline, since: Baseline): string[] {
  return Object.keys(now.dirty).filter(
    (path) => !Object.hasOwn(since.dirty, path) || now.dirty[path] !== since.dirty[path],
  );
}

/** Whether a path was changed when the run began, or one above or below it: then it is the user's. */
export function createUserChangeTest(before: Baseline): (path: string) => boolean {
  const users = new Set(Object.keys(before.dirty).flatMap((path) => [path, ...listParents(path)]));
  return (path) => users.has(path) || listParents(path).some((one) => Object.hasOwn(before.dirty, one));
}

/** As nameOf writes bytes that are no UTF-8. */
export const ESCAPED_NAME = /\\x[89a-f][0-9a-f]/;

/** Whether a path is one that git could not commit whoever lists it: a repository of its own, or no text. */
export function isUncommittable(path: string, { dirty }: Baseline): boolean {
  return ESCAPED_NAME.test(path) || dirty[path]?.startsWith(NESTED_MARK) === true;
}
