import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { findRepository, git, type Surroundings } from './git-command.js';

/**
 * Whether a pull request could be opened from a work tree: its repository has a remote, and `gh` is on the PATH. A
 * repository that git refuses to read has none.
 * @param workTree absolute path
 * @throws DevCliError `IO` when the directory is gone; `INTERRUPTED`
 */
export async function reachesForge(workTree: string, around: Surroundings = {}): Promise<boolean> {
  try {
    const { kind } = await findRepository(workTree, around);
    if (kind !== 'repository' || (await git(workTree, ['remote'], around)).length === 0) return false;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return false;
    throw error;
  }
  const path = (around.env ?? process.env)['PATH'] ?? '';
  const found = await Promise.all(path.split(delimiter).map((directory) => isProgram(join(directory || '.', 'gh'))));
  return found.includes(true);
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
