import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkTreeStatus } from './baseline.js';
import { findCommitIn, isAncestor } from './commit-search.js';
import type { GitOptions } from './git-command.js';

/** Decides whether a run may commit on top of HEAD, and whether git can commit at all (engine.md, Commits). */

/** The conditions that HEAD must meet before a run may commit. */
export interface HeadRule {
  /**
   * The commit that HEAD must contain: the run's last commit, with its trailer's `key`, or, before the run's first
   * commit, the one that was checked out when it began.
   */
  last: { sha: string; key?: string | undefined } | null;
  /** The run's branch; null if HEAD was detached, undefined if the branch has not been read yet. */
  branch?: string | null | undefined;
}

/**
 * Returns why the run must not commit on top of the current HEAD, or null if it may. Accepts a new branch made from the
 * run's last commit; accepts a detached HEAD only if the run's HEAD was detached already.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function findHeadRefusal(
  workTree: string,
  { head, branch }: Pick<WorkTreeStatus, 'head' | 'branch'>,
  rule: HeadRule,
  options: GitOptions,
): Promise<string | null> {
  if (branch === null && typeof rule.branch === 'string') return `HEAD is detached at ${shorten(head)}`;
  const { last } = rule;
  if (last === null || head === last.sha) return null;
  const where = branch === null ? `HEAD, detached at ${shorten(head)},` : `the branch ${branch}`;
  const what = last.key === undefined ? 'that the run began on' : 'that the run made last';
  const refusal = `${where} lacks the commit ${shorten(last.sha)} ${what}`;
  if (head === null) return refusal;
  if (await isAncestor(workTree, last.sha, head, options)) return null;
  if (last.key === undefined) return refusal;
  // An amend or a rebase changes the sha of the commit, but not its trailer.
  return (await findCommitIn(workTree, last.key, { since: last.sha, head }, options)) === null ? refusal : null;
}

function shorten(sha: string | null): string {
  return sha === null ? 'no commit' : sha.slice(0, 7);
}

const UNDER_WAY: Record<string, string> = {
  MERGE_HEAD: 'a merge is in progress',
  'rebase-merge': 'a rebase is in progress',
  'rebase-apply': 'a rebase is in progress',
  CHERRY_PICK_HEAD: 'a cherry-pick is in progress',
  REVERT_HEAD: 'a revert is in progress',
  BISECT_LOG: 'a bisect is in progress',
};

/** Files of the git directory that show whether git can commit, and whether hooks would run. */
export const COMMIT_STATE_FILES = [...Object.keys(UNDER_WAY), 'index.lock', 'hooks'];

/**
 * Returns why git cannot commit at the moment, regardless of where HEAD is, or null if it can.
 * @param places absolute paths of the files of `COMMIT_STATE_FILES`, in that order
 */
export async function findCommitObstacle(places: readonly string[]): Promise<string | null> {
  for (const [index, why] of Object.values(UNDER_WAY).entries()) {
    if (await isReachable(places[index] ?? '', constants.F_OK)) return why;
  }
  const lock = places[COMMIT_STATE_FILES.indexOf('index.lock')] ?? '';
  if (await isReachable(lock, constants.F_OK)) return 'another git process holds the index';
  return (await isReachable(dirname(lock), constants.W_OK)) ? null : 'the git directory cannot be written';
}

/** Hooks that git may run for a commit. */
const HOOKS = [
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-index-change',
  'reference-transaction',
];

/**
 * Returns whether a hook may run for a commit.
 * @param places absolute paths of the files of `COMMIT_STATE_FILES`, in that order
 */
export async function hasHooks(places: readonly string[]): Promise<boolean> {
  const directory = places[COMMIT_STATE_FILES.indexOf('hooks')] ?? '';
  const found = await Promise.all(HOOKS.map((hook) => isReachable(join(directory, hook), constants.F_OK)));
  return found.includes(true);
}

/** Returns whether `access` allows a path in this mode. */
export async function isReachable(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
