import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { findRepository, type GitOptions, git } from './git-command.js';

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
export async function checkForgeAccess(workTree: string, around: GitOptions = {}): Promise<ForgeAccess> {
  const path = (around.env ?? process.env)['PATH'] ?? '';
  const found = await Promise.all(path.split(delimiter).map((directory) => isProgram(join(directory || '.', 'gh'))));
  return {
    remote: await findRemoteProblem(workTree, around),
    gh: found.includes(true) ? null : 'gh is not on the PATH',
  };
}

async function findRemoteProblem(workTree: string, around: GitOptions): Promise<string | null> {
  try {
    const { kind } = await findRepository(workTree, around);
    if (kind === 'no-git') return 'git is not on the PATH';
    if (kind === 'no-repository') return 'there is no git repository here';
    return (await git(workTree, ['remote'], around)).length === 0 ? 'the repository has no remote' : null;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return 'git cannot read the repository';
    throw error;
  }
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
