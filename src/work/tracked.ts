import { basename, dirname } from 'node:path';
import { withoutRedirection } from './git-command.js';
import { childProcess } from './node.js';

/** git's exit where a path is not tracked, and where there is no repository that it would read. */
const UNTRACKED = [1, 128];

/**
 * Whether git tracks a file. Without git or a repository nothing is tracked; a git that breaks off leaves it open: then it is.
 * @param path absolute; its directory is there
 */
export function isTracked(path: string): boolean {
  const options = { cwd: dirname(path), env: withoutRedirection(process.env), encoding: 'utf8' } as const;
  const { status, error } = childProcess().spawnSync('git', ['ls-files', '--error-unmatch', basename(path)], options);
  if (error !== undefined) return !('code' in error && error.code === 'ENOENT');
  return !UNTRACKED.includes(status ?? 0);
}
