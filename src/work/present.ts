// door: tree

import { DevCliError } from '../base/errors.js';
import type { Baseline, WorkTreeStatus } from './baseline.js';
import { type LoggedCommit, lookAtCommits } from './commit-search.js';
import { lookAtChanges, lookAtPresent, type WorkTreeChanges } from './git.js';
import { type GitOptions, type GitQuery, runGitQuerySync } from './git-command.js';

// Runs git synchronously, for use inside a transaction, which cannot await. Until git has answered, this process is
// blocked and handles no signal.

/** Seconds that one answer of git may take; kept short because other calls of the same run wait meanwhile. */
const PATIENCE = 30;

/**
 * Reads the work tree as `readPresent` does.
 * @param workTree absolute path
 * @returns null also for a repository that git can no longer read: the report then says that changes go unnoticed
 * @throws DevCliError `GIT_FAILED` if git gives no answer, so that nothing is decided without one; `IO`, `INTERRUPTED`
 */
export function readPresentNow(workTree: string, options: GitOptions): WorkTreeStatus | null {
  return answerOrNull(lookAtPresent(workTree), options);
}

/**
 * Finds what differs from a baseline, as `lookAtChanges` specifies.
 * @param workTree absolute path
 * @returns null if git can no longer tell, because the repository or the baseline's commit is gone
 * @throws DevCliError as `readPresentNow`
 */
export function readChangesNow(workTree: string, baseline: Baseline, options: GitOptions): WorkTreeChanges | null {
  return answerOrNull(lookAtChanges(workTree, baseline), options);
}

/**
 * Lists the commits in a range, oldest first; null if git can no longer tell. @throws DevCliError as `readPresentNow`
 */
export function readCommitsNow(
  workTree: string,
  range: { from: string | null; to: string },
  options: GitOptions,
): LoggedCommit[] | null {
  return answerOrNull(lookAtCommits(workTree, range), options);
}

function answerOrNull<T>(asking: GitQuery<T | null>, options: GitOptions): T | null {
  try {
    return runGitQuerySync(asking, { timeoutSeconds: PATIENCE, ...options });
  } catch (error) {
    // An error with a cause means that git did not answer: it was ended, could not be started, or took too long.
    if (error instanceof DevCliError && error.code === 'GIT_FAILED' && error.cause === undefined) return null;
    throw error;
  }
}
