import { constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isReachable } from './commit-head.js';
import { findRepository, type GitOptions, git, nullIfRefused } from './git-command.js';

/** What is missing for a pull request, as far as that can be known without asking the forge. */
export interface ForgeAccess {
  /** Why nothing can be pushed; null if the repository has a remote. */
  remote: string | null;
  /** Why the forge cannot be asked; null if `gh` is on the PATH. */
  gh: string | null;
}

/**
 * Looks for a remote and for `gh`. A repository that git refuses to read counts as one without a remote.
 * @param workTree absolute path
 * @throws DevCliError `IO` if the directory is gone; `INTERRUPTED`
 */
export async function checkForgeAccess(workTree: string, options: GitOptions = {}): Promise<ForgeAccess> {
  const path = (options.env ?? process.env)['PATH'] ?? '';
  const found = await Promise.all(
    path.split(delimiter).map((directory) => isReachable(join(directory || '.', 'gh'), constants.X_OK)),
  );
  return {
    remote: await findRemoteProblem(workTree, options),
    gh: found.includes(true) ? null : 'gh is not on the PATH',
  };
}

async function findRemoteProblem(workTree: string, options: GitOptions): Promise<string | null> {
  const place = await nullIfRefused(findRepository(workTree, options));
  if (place?.kind === 'no-git') return 'git is not on the PATH';
  if (place?.kind === 'no-repository') return 'there is no git repository here';
  const remotes = place === null ? null : await nullIfRefused(git(workTree, ['remote'], options));
  if (remotes === null) return 'git cannot read the repository';
  return remotes.length === 0 ? 'the repository has no remote' : null;
}
