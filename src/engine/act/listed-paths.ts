import type { WorkerResult } from '../../documents/results.js';
import type { Transaction } from '../../run/transaction.js';
import {
  createGlobTest,
  createPathTest,
  createUserChangeTest,
  isUncommittable,
  listChangedPaths,
  normalizePaths,
} from '../../work/paths.js';
import { requireEngine } from './plan.js';

/** The paths that workers list as changed, and changed paths that no worker lists (engine.md, Commits). */

type ListedPaths = Pick<WorkerResult, 'filesChanged' | 'notMine'>;

/** Adds the paths that a result lists to those from earlier attempts at the todo. */
export function recordListedPaths(tx: Transaction, todo: string, { filesChanged, notMine = [] }: ListedPaths): void {
  const engine = requireEngine(tx);
  for (const [key, paths] of [
    ['listed', filesChanged],
    ['notMine', notMine],
  ] as const) {
    if (paths.length === 0) continue;
    const known = engine[key]?.[todo] ?? [];
    engine[key] = { ...engine[key], [todo]: [...new Set([...known, ...normalizePaths(tx.place.workTree, paths)])] };
  }
}

/**
 * Finds paths inside a todo's files that changed since it began and that none of its results lists. The user's own changes,
 * and paths that git cannot commit, do not count.
 * @param result the result being judged, or as much of it as there is
 */
export function findUnlistedPaths(tx: Transaction, todo: string, result: ListedPaths): string[] {
  const engine = requireEngine(tx);
  const row = engine.todos[todo];
  const { baseline: before } = tx.state;
  const since = engine.baselines[todo];
  if (row?.type !== 'work' || before === null || since == null) return [];
  const now = tx.tree();
  if (now === null) return [];
  const isListed = createPathTest([
    ...(engine.listed?.[todo] ?? []),
    ...(engine.notMine?.[todo] ?? []),
    ...normalizePaths(tx.place.workTree, [...result.filesChanged, ...(result.notMine ?? [])]),
  ]);
  const isUsers = createUserChangeTest(before);
  const isInside =
    row.files.length === 0 ? createUnclaimedTest(tx, todo) : createGlobTest(row.files, engine.charged[todo] ?? []);
  return listChangedPaths(now, since).filter(
    (path) => !isListed(path) && isInside(path) && !isUsers(path) && !isUncommittable(path, now),
  );
}

/** A todo that names no files may touch everything except what others of its wave list. */
function createUnclaimedTest(tx: Transaction, todo: string): (path: string) => boolean {
  const engine = requireEngine(tx);
  const others = engine.wave.filter((id) => id !== todo);
  const isTheirs = createPathTest(others.flatMap((id) => engine.listed?.[id] ?? []));
  return (path) => !isTheirs(path);
}
