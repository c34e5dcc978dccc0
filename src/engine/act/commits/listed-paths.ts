import { joinFirst } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { WorkerResult } from '../../../documents/results.js';
import { listReportedPaths } from '../../../jobs/commit-scope.js';
import type { EngineDraft } from '../../../run/engine.js';
import type { Transaction } from '../../../run/transaction.js';
import {
  createFilesTest,
  createPathTest,
  createUserChangeTest,
  isUncommittable,
  listChangedPaths,
  normalizePaths,
} from '../../../work/paths.js';
import { requireEngine } from '../plan/plan.js';
import { changeTodo, getTodoRow } from '../todo-rows.js';

/** The paths that workers list as changed, and the changed paths that no worker lists (engine.md, Commits). */

type ListedPaths = Pick<WorkerResult, 'filesChanged' | 'notMine'>;

/** Adds the paths that a result lists to those that earlier attempts at the todo listed. */
export function recordListedPaths(tx: Transaction, todo: string, { filesChanged, notMine = [] }: ListedPaths): void {
  const engine = requireEngine(tx);
  const { listed, notMine: others } = getTodoRow(engine, todo);
  const add = (known: readonly string[] | undefined, paths: readonly string[]) =>
    paths.length === 0 ? known : [...new Set([...(known ?? []), ...normalizePaths(tx.place.workTree, paths)])];
  changeTodo(engine, todo, { listed: add(listed, filesChanged), notMine: add(others, notMine) });
}

/**
 * Finds paths inside a todo's files that changed since the todo began and that none of its results lists. The user's
 * own changes, and paths that git cannot commit, do not count.
 * @param result the result being judged, or only its lists
 */
export function findUnlistedPaths(tx: Transaction, todo: string, result: ListedPaths): string[] {
  const engine = requireEngine(tx);
  const row = engine.todos[todo];
  const { baseline: before } = tx.state;
  if (row?.type !== 'work' || before === null || row.baseline == null) return [];
  const now = tx.tree();
  if (now === null) return [];
  const isListed = createPathTest([
    ...(row.listed ?? []),
    ...(row.notMine ?? []),
    ...normalizePaths(tx.place.workTree, [...result.filesChanged, ...(result.notMine ?? [])]),
  ]);
  const isUsers = createUserChangeTest(before);
  const isInside =
    row.files.length === 0 ? createUnclaimedTest(tx, todo) : createFilesTest(row.files, row.charged ?? []);
  return listChangedPaths(now, row.baseline).filter(
    (path) => !isListed(path) && isInside(path) && !isUsers(path) && !isUncommittable(path, now),
  );
}

/**
 * Creates the path test for a todo without `files`. The test accepts all paths except reserved paths and paths that
 * other todos of its wave list.
 */
function createUnclaimedTest(tx: Transaction, todo: string): (path: string) => boolean {
  const engine = requireEngine(tx);
  const others = engine.wave.filter((id) => id !== todo);
  const isTheirs = createPathTest(others.flatMap((id) => engine.todos[id]?.listed ?? []));
  const mayTouch = createFilesTest([]);
  return (path) => mayTouch(path) && !isTheirs(path);
}

function charge(engine: EngineDraft, todo: string, path: string): void {
  changeTodo(engine, todo, { charged: [...new Set([...(getTodoRow(engine, todo).charged ?? []), path])] });
}

/** How many paths a warning names. */
const NAMED = 10;

/**
 * Once all workers have finished, charges each change outside the files of all todos in the wave to the todo whose
 * result lists it. Warns of changes that no result lists (engine.md, Waves). The user's own changes do not count.
 */
export function assignUnclaimedChanges(tx: Transaction): void {
  const engine = requireEngine(tx);
  const before = tx.state.baseline;
  const rows = engine.wave.flatMap((id) => engine.todos[id] ?? []);
  const working = rows.filter(({ type }) => type === 'work');
  if (before === null || working.some(({ files }) => files.length === 0)) return;
  const tree = tx.tree();
  if (tree === null) return;
  const allowed = createFilesTest(working.flatMap(({ files }) => files));
  const stray = Object.entries(tree.dirty).filter(([path, digest]) => {
    const known = [before, ...rows.map(({ baseline }) => baseline ?? before)];
    return !allowed(path) && known.every(({ dirty }) => !Object.hasOwn(dirty, path) || dirty[path] !== digest);
  });
  const { workTree } = tx.place;
  const claims = rows.map(({ id }) => ({ id, lists: createPathTest(listReportedPaths(engine, id, workTree)) }));
  const listedElsewhere = createPathTest(engine.order.flatMap((id) => listReportedPaths(engine, id, workTree)));
  const unclaimed: string[] = [];
  for (const [path] of stray) {
    const owner = claims.find(({ lists }) => lists(path));
    if (owner !== undefined) charge(engine, owner.id, path);
    // A path does not count as unlisted if it is listed by a todo that has left the wave because it failed or its
    // commit was refused.
    else if (!listedElsewhere(path)) unclaimed.push(path);
  }
  if (unclaimed.length === 0) return;
  const others = tx.others().flatMap(({ todos }) => todos.flatMap(({ files }) => files));
  const isOthers = others.length === 0 ? () => false : createFilesTest(others);
  const nobodys = unclaimed.filter((path) => !isOthers(path));
  if (nobodys.length === 0) return;
  const shown = nobodys.map((path) => toBoundedLine(path, 200));
  const line = `changed outside the files of ${rows.map(({ id }) => id).join(', ')}, and no result lists it: ${joinFirst(shown, NAMED)}`;
  tx.warnings.push(line);
  if (!tx.state.warnings.includes(line)) tx.state.warnings.push(line);
}
