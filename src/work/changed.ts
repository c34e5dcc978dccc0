import { parents } from './covered.js';
import { type Baseline, NESTED } from './git.js';

/** What changed in a work tree, by two looks at it. */

/** The paths that differ from a commit now and did not, or did in another way, at an earlier moment. */
export function changedPaths(now: Baseline, since: Baseline): string[] {
  return Object.keys(now.dirty).filter(
    (path) => !Object.hasOwn(since.dirty, path) || now.dirty[path] !== since.dirty[path],
  );
}

/** Whether a path was changed when the run began, or one above or below it: then it is the user's. */
export function changedBefore(before: Baseline): (path: string) => boolean {
  const users = new Set(Object.keys(before.dirty).flatMap((path) => [path, ...parents(path)]));
  return (path) => users.has(path) || parents(path).some((one) => Object.hasOwn(before.dirty, one));
}

/** As nameOf writes bytes that are no UTF-8. */
export const ESCAPED = /\\x[89a-f][0-9a-f]/;

/** Whether a path is one that git could not commit whoever lists it: a repository of its own, or no text. */
export function isNamelessOrNested(path: string, { dirty }: Baseline): boolean {
  return ESCAPED.test(path) || dirty[path]?.startsWith(NESTED) === true;
}
