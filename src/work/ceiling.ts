import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * Looks, without a process, whether a directory is plainly the top of a repository. It is one if git, called in it with
 * `GIT_CEILING_DIRECTORIES` set to the answer, does not fail: then git has looked nowhere else.
 * @param directory absolute path
 * @returns the directory above it; null where git has to be asked, as in a linked work tree or a part of a repository
 */
export function findCeiling(directory: string): string | null {
  try {
    const config = readFileSync(join(directory, '.git', 'config'), 'latin1');
    // `core.worktree`, or a file of its own for such settings, may put the top elsewhere.
    if (/worktree/i.test(config)) return null;
    const real = realpathSync(directory);
    const above = dirname(real);
    return above === real || above.includes(delimiter) ? null : above;
  } catch {
    // Git says better what is wrong here.
    return null;
  }
}
