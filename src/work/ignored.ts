// door: tree

import { buildUserEnvironment } from './git-command.js';
import { executeFileNow } from './processes.js';

/** Git's exit code if it does not ignore a path. */
const NOT_SO = 1;
/** Time limit in seconds and size limit in bytes of one answer. */
const PATIENCE = 30;
const LONGEST_ANSWER = 1024 * 1024;

/**
 * Returns whether git sees a path, that is, does not ignore it, so that `git clean` and `git stash -u` affect it; false
 * if git cannot tell.
 * @param directory absolute path; must exist
 * @param path relative to `directory`; need not exist
 */
export function isNotIgnored(directory: string, path: string): boolean {
  return askGit(directory, ['check-ignore', '--quiet', path]) === NOT_SO;
}

/**
 * Returns whether git ignores a path; false if git cannot tell.
 * @param directory absolute path; must exist
 * @param path relative to `directory`; need not exist
 * @param timeoutSeconds time that git has to answer
 */
export function isIgnored(directory: string, path: string, timeoutSeconds?: number): boolean {
  return askGit(directory, ['check-ignore', '--quiet', path], timeoutSeconds) === 0;
}

function askGit(cwd: string, args: string[], timeoutSeconds = PATIENCE): number | 'no git' | null {
  const env = buildUserEnvironment(process.env);
  const { error } = executeFileNow('git', args, { cwd, env, timeoutSeconds, maxBuffer: LONGEST_ANSWER });
  if (error === null) return 0;
  return error.code === 'ENOENT' ? 'no git' : typeof error.code === 'number' ? error.code : null;
}
