import { posix } from 'node:path';

/** Where runs lie below the root (storage.md, Layout). */
export const RUNS = '.dev/specs';

/** Path of a run's directory, or of something in it, relative to the root. */
export function runPath(stream: string, name = ''): string {
  return posix.join(RUNS, stream, name);
}

/**
 * A document's path relative to the root, or null when it would leave the root.
 * @param path with `/`; relative to the run's directory, with a leading `/` to the root (src/base/files.ts)
 */
export function rootRelative(stream: string, path: string): string | null {
  const joined = path.startsWith('/') ? posix.join('.', path) : runPath(stream, path);
  const clean = joined.endsWith('/') ? joined.slice(0, -1) : joined;
  return path.includes('\0') || clean === '..' || clean.startsWith('../') ? null : clean || '.';
}

/** The form in which the journal names a document: the shortest that `rootRelative` reads back as `relative`. */
export function documentPath(stream: string, relative: string): string {
  const inside = `${runPath(stream)}/`;
  return relative.startsWith(inside) ? relative.slice(inside.length) : `/${relative}`;
}

/**
 * Paths that no document may have: names in a run's directory that only the store writes, and git's own, where a hook that
 * a forged journal puts there would be executed.
 */
export function isReserved(stream: string, relative: string): boolean {
  if (/(^|\/)\.git(\/|$)/i.test(relative)) return true;
  if (/^\.dev\/(lock|guard|active-spec|sessions)(\.|\/|$)/.test(relative)) return true;
  const inRun = documentPath(stream, relative);
  return /^(state\.json|events\.jsonl|lock)(\.|$)|^objects(\/|$)/.test(inRun);
}
