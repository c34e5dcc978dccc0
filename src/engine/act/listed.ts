import type { WorkerResult } from '../../documents/results.js';
import type { Turn } from '../../run/turn.js';
import { asListed, changedBefore, changedPaths, coveredBy, isNamelessOrNested, namedBy } from '../../work/paths.js';
import { engineOf } from './plan.js';

/** What workers say that they changed, and what changed and nobody lists (engine.md, Commits). */

/** The part of a result that tells of paths. */
type Telling = Pick<WorkerResult, 'filesChanged' | 'notMine'>;

/** Keeps what a result lists, beside what those of earlier attempts list. */
export function noteListed(turn: Turn, todo: string, { filesChanged, notMine = [] }: Telling): void {
  const engine = engineOf(turn);
  if (filesChanged.length > 0) {
    engine.listed = {
      ...engine.listed,
      [todo]: joined(engine.listed?.[todo], asListed(turn.place.workTree, filesChanged)),
    };
  }
  if (notMine.length > 0) {
    engine.notMine = {
      ...engine.notMine,
      [todo]: joined(engine.notMine?.[todo], asListed(turn.place.workTree, notMine)),
    };
  }
}

function joined(known: readonly string[] = [], more: readonly string[]): string[] {
  return [...new Set([...known, ...more])];
}

/**
 * Paths that changed since a todo began, inside its files, that no result of it lists: each belongs into `filesChanged` or
 * `notMine`. What was changed before the run is the user's, and what cannot be committed at all is not asked for.
 * @param telling the result that is to be judged, or what there is of it
 */
export function unlistedBy(turn: Turn, todo: string, telling: Telling): string[] {
  const engine = engineOf(turn);
  const row = engine.todos[todo];
  const { baseline: before } = turn.state;
  const since = engine.baselines[todo];
  if (row?.type !== 'work' || before === null || since == null) return [];
  const now = turn.tree();
  if (now === null) return [];
  const told = [
    ...(engine.listed?.[todo] ?? []),
    ...(engine.notMine?.[todo] ?? []),
    ...asListed(turn.place.workTree, [...telling.filesChanged, ...(telling.notMine ?? [])]),
  ];
  const isTold = namedBy(told);
  const isUsers = changedBefore(before);
  const isInside = row.files.length === 0 ? notOfOthers(turn, todo) : coveredBy(row.files, engine.charged[todo] ?? []);
  return changedPaths(now, since).filter(
    (path) => !isTold(path) && isInside(path) && !isUsers(path) && !isNamelessOrNested(path, now),
  );
}

/** A todo without files may touch everything but what others of its wave say they changed. */
function notOfOthers(turn: Turn, todo: string): (path: string) => boolean {
  const engine = engineOf(turn);
  const others = engine.wave.filter((id) => id !== todo);
  const isTheirs = namedBy(others.flatMap((id) => engine.listed?.[id] ?? []));
  return (path) => !isTheirs(path);
}
