import { writeTree } from '../../work/attempt-commits.js';
import { executeGit, type GitOptions } from '../../work/git-command.js';
import { fetchReferences } from '../../work/remote.js';
import { addTree, findCommitOf, pointTree, QUIET_GIT_OPTIONS } from '../../work/trees.js';

/** Makes the tree of an attempt anew, on a machine that never had it (fleet.md, An attempt). */

/** What the loop knows of the attempt, as far as its tree is concerned. */
export interface MovedAttempt {
  goal: string;
  run: string | null;
  /** Absolute: where the tree is to be. */
  tree: string;
  /** The commit that it was made from. */
  base: string;
  /** A commit of the base with all that was changed; null where nothing was. */
  kept: string | null;
  /** Where the agent's own commits have brought HEAD. */
  head: string;
}

/** The clone that the tree is to belong to. */
export interface TreeSite {
  /** Absolute. */
  top: string;
  remote: string;
  /** Absolute, and where it lies below the top; empty for the top itself. */
  root: string;
  below: string;
  git: GitOptions;
}

/**
 * Makes it: base, set-up, kept commit, HEAD. Its files are as they were, and so is what git says of them, but for what was staged.
 * Repeated, it begins anew.
 * @param furnish sets up what is in no commit; says why not
 * @returns the tree before the attempt's own changes, as this machine has set it up
 * @throws DevCliError `GIT_FAILED`, also where the remote lacks a commit; `IO`, `INTERRUPTED`, and what `furnish` throws
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

/** Changes what the kept commit changes, and nothing else: what the set-up has changed stays. What goes comes first: it may give way. */
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
