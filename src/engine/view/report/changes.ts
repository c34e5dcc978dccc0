import type { Transaction } from '../../../run/transaction.js';
import { createPathTest, listParents } from '../../../work/paths.js';
import { lookIfPossible } from '../../act/execution-summary.js';
import { requireEngine } from '../../act/plan/plan.js';

/** Paths that are not part of the work: outside the work tree, or git's or dev-cli's own. */
const OUTSIDE = /^(?:\.\.|\.git|\.dev)(?:\/|$)/;

/** How many files the report names; git has the rest. */
const NAMED = 200;

/**
 * Lists the files in the run's commits, then those that a worker lists and none of its commits holds; both without what is
 * as it was when the run began.
 */
export function listChangedFiles(tx: Transaction): string[] {
  const { todos, residual = [] } = requireEngine(tx);
  const rows = Object.values(todos);
  const committed = [...rows.flatMap((row) => row.committed ?? []), ...residual];
  const inCommits = new Set(committed);
  const apart = new Map<string, string[]>();
  for (const { id, listed = [], committed: known, commit } of rows) {
    // A commit found after a crash: its paths were not recorded.
    const unseen = known === undefined && commit !== undefined;
    for (const path of listed) {
      if (unseen) inCommits.add(path);
      else apart.set(path, [...(apart.get(path) ?? []), id]);
    }
  }
  // A worker may list a directory for the files in it.
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

/** Whether what the run has committed is still there: nobody has committed since, or changed one of its files. */
function isAsCommitted(tx: Transaction, paths: ReadonlySet<string>): boolean {
  const now = lookIfPossible(tx.tree);
  const last = requireEngine(tx).head?.last?.sha ?? tx.state.baseline?.head;
  return now === null || (now.head === last && !Object.keys(now.dirty).some((path) => paths.has(path)));
}

/** Whether a path, or one below it, is not as it was when the run began; always where git cannot tell. */
function createChangeTest({ state, changes }: Transaction): (path: string) => boolean {
  const { baseline } = state;
  const paths = baseline === null ? undefined : lookIfPossible(() => changes(baseline))?.paths;
  if (paths === undefined) return () => true;
  // What is changed in a nested repository is told as a change of it.
  const isInside = createPathTest(paths);
  const above = new Set(paths.flatMap(listParents));
  return (path) => isInside(path) || above.has(path);
}
