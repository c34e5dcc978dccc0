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

/** What workers say that they changed, and what changed and nobody lists (engine.md, Commits). */

/** The part of a result that tells of paths. */
type ListedPaths = Pick<WorkerResult, 'filesChanged' | 'notMine'>;

/** Keeps what a result lists, beside what those of earlier attempts list. */
export function recordListedPaths(tx: Transaction, todo: string, { filesChanged, notMine = [] }: ListedPaths): void {
  const engine = requireEngine(tx);
  if (filesChanged.length > 0) {
    engine.listed = {
      ...engine.listed,
      [todo]: mergePaths(engine.listed?.[todo], normalizePaths(tx.place.workTree, filesChanged)),
    };
  }
  if (notMine.length > 0) {
    engine.notMine = {
      ...engine.notMine,
      [todo]: mergePaths(engine.notMine?.[todo], normalizePaths(tx.place.workTree, notMine)),
    };
  }
}

function mergePaths(known: readonly string[] = [], more: readonly string[]): string[] {
  return [...new Set([...known, ...more])];
}

/**
 * Paths that changed since a todo began, inside its files, that no result of it lists: each belongs into `filesChanged` or
 * `notMine`. What was changed before the run is the user's, and what cannot be committed at all is not asked for.
 * @param telling the result that is to be judged, or what there is of it
 */
export function findUnlistedPaths(tx: Transaction, todo: string, telling: ListedPaths): string[] {
  const engine = requireEngine(tx);
  const row = engine.todos[todo];
  const { baseline: before } = tx.state;
  const since = engine.baselines[todo];
  if (row?.type !== 'work' || before === null || since == null) return [];
  const now = tx.tree();
  if (now === null) return [];
  const told = [
    ...(engine.listed?.[todo] ?? []),
    ...(engine.notMine?.[todo] ?? []),
    ...normalizePaths(tx.place.workTree, [...telling.filesChanged, ...(telling.notMine ?? [])]),
  ];
  const isTold = createPathTest(told);
  const isUsers = createUserChangeTest(before);
  const isInside =
    row.files.length === 0 ? createUnclaimedTest(tx, todo) : createGlobTest(row.files, engine.charged[todo] ?? []);
  return listChangedPaths(now, since).filter(
    (path) => !isTold(path) && isInside(path) && !isUsers(path) && !isUncommittable(path, now),
  );
}

/** A todo without files may touch everything but what others of its wave say they changed. */
function createUnclaimedTest(tx: Transaction, todo: string): (path: string) => boolean {
  const engine = requireEngine(tx);
  const others = engine.wave.filter((id) => id !== todo);
  const isTheirs = createPathTest(others.flatMap((id) => engine.listed?.[id] ?? []));
  return (path) => !isTheirs(path);
}
