import { writeTree } from '../../work/attempt-commits.js';
import { executeGit, type GitOptions } from '../../work/git-command.js';
import { fetchReferences } from '../../work/remote.js';
import { addTree, findCommitOf, pointTree, QUIET_GIT_OPTIONS } from '../../work/trees.js';

/** Recreates the tree of an attempt on a machine that never had it (fleet.md, An attempt). */

/** The data of an attempt that its tree depends on. */
export interface MovedAttempt {
  goal: string;
  run: string | null;
  /** Absolute path of the tree. */
  tree: string;
  /** The commit that the attempt started from. */
  base: string;
  /** A commit on the base with all changes; null if nothing was changed. */
  kept: string | null;
  /** HEAD after the agent's own commits. */
  head: string;
}

/** The clone that owns the tree. */
export interface TreeSite {
  /** Absolute. */
  top: string;
  remote: string;
  /** The absolute root, and its path below the top; empty if it is the top. */
  root: string;
  below: string;
  git: GitOptions;
}

/**
 * Recreates the tree: checks out the base, sets it up, applies the kept commit, and sets HEAD. The files and git's
 * status are then as they were, except that nothing is staged. A repeated call begins anew.
 * @param furnish sets up what no commit contains; returns why it refused, or null
 * @returns the tree before the attempt's own changes, as set up on this machine
 * @throws DevCliError `GIT_FAILED`, also if the remote lacks a commit; `IO`, `INTERRUPTED`, and what `furnish` throws
 */
export async function moveTree<Refusal>(
  { top, remote, root, below, git: options }: TreeSite,
  { goal, run, tree, base, kept, head }: MovedAttempt,
  furnish: () => Promise<Refusal | null>,
): Promise<{ zero: string } | { refused: Refusal }> {
  const lacking: string[] = [];
  for (const commit of new Set([base, head, kept ?? base])) {
    if ((await findCommitOf(top, commit, options)) === null) lacking.push(commit);
  }
  if (lacking.length > 0) await fetchReferences(top, remote, lacking, options);
  await addTree(top, tree, base, options);
  await pointTree(tree, { root, run, below, goal }, options);
  const refused = await furnish();
  if (refused !== null) return { refused };
  const zero = await writeTree(tree, options);
  if (kept !== null) await layOver(tree, { base, kept }, options);
  await executeGit(tree, [...QUIET_GIT_OPTIONS, 'update-ref', '--no-deref', 'HEAD', head], options);
  await executeGit(tree, [...QUIET_GIT_OPTIONS, 'reset', '--quiet', '--mixed'], options);
  return { zero };
}

/**
 * Applies only the changes of the kept commit, so that the set-up's changes stay. Deletions come first: a new file may
 * need the path of a deleted one.
 */
async function layOver(
  tree: string,
  { base, kept }: { base: string; kept: string },
  options: GitOptions,
): Promise<void> {
  const remove = ['rm', '--quiet', '--force', '--ignore-unmatch'];
  const write = ['restore', '--quiet', `--source=${kept}`, '--staged', '--worktree'];
  for (const [filter, command] of [['D', remove] as const, ['d', write] as const]) {
    const differing = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', `--diff-filter=${filter}`, base, kept];
    const input = await executeGit(tree, differing, options);
    const named = [...command, '--pathspec-from-file=-', '--pathspec-file-nul'];
    if (input.length > 0)
      await executeGit(tree, [...QUIET_GIT_OPTIONS, '--literal-pathspecs', ...named], { ...options, input });
  }
}
