import { basename, dirname } from 'node:path';
import { buildUserEnvironment } from './git-command.js';
import { childProcess } from './processes.js';

/** git's exit where it does not track or ignore a path, and where there is no repository that it would read. */
const NOT_SO = 1;
const NO_REPOSITORY = 128;

/**
 * Whether git tracks a file. Without git or a repository nothing is tracked; a git that breaks off leaves it open: then it is.
 * @param path absolute; its directory is there
 */
export function isTracked(path: string): boolean {
  const exit = askGit(dirname(path), ['ls-files', '--error-unmatch', basename(path)]);
  return exit !== 'no git' && exit !== NOT_SO && exit !== NO_REPOSITORY;
}

/**
 * Whether git sees what lies at a path, so that `git clean` and `git stash -u` take it. Where git cannot say it does not.
 * @param directory absolute, there
 * @param path from there; it need not exist
 */
export function isSeen(directory: string, path: string): boolean {
  return askGit(directory, ['check-ignore', '--quiet', path]) === NOT_SO;
}

function askGit(cwd: string, args: string[]): number | 'no git' | null {
  const { status, error } = childProcess().spawnSync('git', args, { cwd, env: buildUserEnvironment(process.env) });
  return error !== undefined && 'code' in error && error.code === 'ENOENT' ? 'no git' : status;
}
