import { resolve } from 'node:path';
import type { Context } from '../../../run/context.js';
import { findRepository, type GitOptions, nullIfRefused, executeGit as runGit } from '../../../work/git-command.js';
import { findTip } from '../../../work/trees.js';
import { gitNeededError } from '../start.js';
import type { LoopState } from '../state-schema.js';

/** The branch on which packets are based, and its repository. */
export interface RepositoryBranch {
  /** `top`: absolute, the top of the repository. `prefix`: the path from there to the root, empty or ending in `/`. */
  top: string;
  prefix: string;
  branch: string;
  /** The last commit of the branch. */
  tip: string;
}

/** Returns the batch under way; null if there is none. */
export const findBatch = ({ batch }: Pick<LoopState, 'batch'>): LoopState['batch'] =>
  batch !== null && batch.endedAt === null ? batch : null;

/**
 * Finds the repository and its branch: the branch of the batch under way or, without one, the one checked out.
 * @throws DevCliError `NEEDS_MISSING`, `GIT_FAILED`, `IO`
 */
export async function findRepositoryBranch(
  { root }: Pick<Context, 'root'>,
  state: LoopState,
  git: GitOptions,
): Promise<RepositoryBranch> {
  const found = await findRepository(root, git);
  if (found.kind !== 'repository')
    throw gitNeededError('there is no git repository here', 'Run git init and commit, then repeat the call.');
  const top = resolve(root, found.top || '.');
  const head = await nullIfRefused(runGit(top, ['symbolic-ref', '--quiet', 'HEAD'], git));
  const branch = findBatch(state)?.branch ?? head?.toString('utf8').trim().replace('refs/heads/', '');
  const tip = branch === undefined ? null : await findTip(top, branch, git);
  if (branch !== undefined && tip !== null) return { top, prefix: found.prefix.toString('utf8'), branch, tip };
  throw gitNeededError('no branch with a commit is checked out', 'Check one out, or commit, then repeat the call.');
}
