import type { Transaction } from '../../../run/transaction.js';
import { createPathTest, listParents } from '../../../work/paths.js';
import { nullIfGitFails } from '../../act/execution-summary.js';
import { requireEngine } from '../../act/plan/plan.js';

/** Paths that do not belong to the work: outside the work tree, or in `.git` or `.dev`. */
const OUTSIDE = /^(?:\.\.|\.git|\.dev)(?:\/|$)/;

/** How many files the report names; git shows the rest. */
const NAMED = 200;

/**
 * Lists the files in the run's commits, then the files that a worker reported as changed but no commit of the run
 * contains. Leaves out files that are as they were when the run began.
 */
export function listChangedFiles(tx: Transaction): string[] {
  const { todos, residual = [] } = requireEngine(tx);
  const rows = Object.values(todos);
  const committed = [...rows.flatMap((row) => row.committed ?? []), ...residual];
  const inCommits = new Set(committed);
  const apart = new Map<string, string[]>();
  for (const { id, listed = [], committed: known, commit } of rows) {
    // If the todo's commit was only found after a crash, its paths were never recorded. The paths that the worker
    // reported then count as committed.
    const unseen = known === undefined && commit !== undefined;
    for (const path of listed) {
      if (unseen) inCommits.add(path);
      else apart.set(path, [...(apart.get(path) ?? []), id]);
    }
  }
  // A worker may list a directory instead of the files in it.
  const isIn = (path: string) => inCommits.has(path) || [...inCommits].some((one) => one.startsWith(`${path}/`));
  const left = [...apart].filter(([path]) => !isIn(path) && !OUTSIDE.test(path));
  const isPlain = left.length === 0 && committed.length === inCommits.size && isAsCommitted(tx, inCommits);
  const isChanged = isPlain ? () => true : createChangeTest(tx);
  const lines = [
    ...[...inCommits].filter(isChanged).sort(),
    ...left
      .filter(([path]) => isChanged(path))
      .map(([path, by]) => `${path} (listed by ${by.join(', ')}, in no commit of this run)`),
  ];
  if (lines.length <= NAMED) return lines;
  const head = tx.state.baseline?.head;
  const all =
    head == null ? '' : `; \`git diff --stat ${head.slice(0, 12)}\` lists what is changed since the run began`;
  return [...lines.slice(0, NAMED), `and ${lines.length - NAMED} more${all}`];
}

/**
 * Returns whether the committed files are still as the run committed them: nothing was committed later, and none of the
 * files is dirty.
 */
function isAsCommitted(tx: Transaction, paths: ReadonlySet<string>): boolean {
  const now = nullIfGitFails(tx.tree);
  const last = requireEngine(tx).head?.last?.sha ?? tx.state.baseline?.head;
  return now === null || (now.head === last && !Object.keys(now.dirty).some((path) => paths.has(path)));
}

/** Creates a test of whether a path, or a path below it, has changed since the run began; true if git cannot tell. */
function createChangeTest({ state, changes }: Transaction): (path: string) => boolean {
  const { baseline } = state;
  const paths = baseline === null ? undefined : nullIfGitFails(() => changes(baseline))?.paths;
  if (paths === undefined) return () => true;
  // Git reports all changes inside a nested repository as one change, to the repository's own path. Any path inside it
  // therefore counts as changed.
  const isInside = createPathTest(paths);
  const above = new Set(paths.flatMap(listParents));
  return (path) => isInside(path) || above.has(path);
}
