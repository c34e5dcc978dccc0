import { listCommitPaths } from './commit-index.js';
import { executeGit, type GitOptions, type GitQuery, nullIfRefused, queryGit } from './git-command.js';

/** Finds the commits of a run in the history (engine.md, Commits). */

/** The commit trailer that names the run and the todo. */
export const TASK_TRAILER = 'Dev-Cli-Task';

/** Returns whether a line of a commit message looks like the trailer. */
export function isTrailer(line: string): boolean {
  return new RegExp(`^\\s*${TASK_TRAILER}\\s*:`, 'i').test(line);
}

/**
 * Finds the commit with this trailer between `since` (null: the beginning) and HEAD; null if there is none.
 * @param workTree absolute path
 * @param key value of the trailer
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function findCommit(
  workTree: string,
  key: string,
  since: string | null,
  options: GitOptions = {},
): Promise<string | null> {
  try {
    return await findCommitIn(workTree, key, { since, head: 'HEAD' }, options);
  } catch (error) {
    const head = await nullIfRefused(executeGit(workTree, ['rev-parse', '--verify', '--quiet', 'HEAD'], options));
    // Before the first commit there is nothing to search.
    if (head === null) return null;
    throw error;
  }
}

/** Does the same as `findCommit`, but up to a given commit instead of HEAD. @throws DevCliError as `findCommit` */
export function findCommitIn(
  workTree: string,
  key: string,
  range: { since: string | null; head: string | null },
  options: GitOptions = {},
): Promise<string | null> {
  return findCommitByLine(workTree, `${TASK_TRAILER}: ${key}`, range, options);
}

/**
 * Finds the commit with this line in its message between `since` (null: the beginning) and `head`; null if there is
 * none.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function findCommitByLine(
  workTree: string,
  line: string,
  { since, head }: { since: string | null; head: string | null },
  options: GitOptions = {},
): Promise<string | null> {
  if (head === null || head === since) return null;
  const only = ['log', '--no-show-signature', '--fixed-strings', `--grep=${line}`, '-z', '--format=%H%n%B'];
  // If history was rewritten, `since` may no longer exist: then the whole history is searched.
  const recent =
    since === null ? null : await nullIfRefused(executeGit(workTree, [...only, `${since}..${head}`], options));
  const answer = recent ?? (await executeGit(workTree, [...only, head], options));
  // Any line of the message counts: if a hook has appended text, git no longer recognizes the trailer.
  const found = answer
    .toString('utf8')
    .split('\0')
    .map((commit) => commit.split('\n'))
    .filter((lines) => lines.some((each) => each.trim() === line));
  // After `since`, the oldest match is ours, because a hook may then have added commits with our message. In the whole
  // history, the newest is ours, because an earlier one may come from a todo that was redone.
  return (recent === null ? found[0] : found.at(-1))?.[0] ?? null;
}

/** How many commits are searched, at most, for one that lost its trailer. */
const LOOKED_AT = 50;

/**
 * Finds the only commit since `before` that contains all of these paths; used because a hook may have removed the
 * trailer from dev-cli's commit.
 * @returns null if there is no such commit, or several, since any of them could be ours
 * @throws DevCliError `INTERRUPTED`
 */
export async function findCommitByPaths(
  workTree: string,
  paths: readonly string[],
  before: string | null,
  options: GitOptions = {},
): Promise<string | null> {
  const range = before === null ? 'HEAD' : `${before}..HEAD`;
  const listed = await nullIfRefused(
    executeGit(workTree, ['rev-list', `--max-count=${LOOKED_AT + 1}`, range], options),
  );
  const commits = listed === null ? [] : listed.toString('utf8').split('\n').filter(Boolean);
  if (commits.length > LOOKED_AT) return null;
  const holding: string[] = [];
  for (const commit of commits) {
    const held = new Set(await nullIfRefused(listCommitPaths(workTree, commit, options)));
    if (paths.every((path) => held.has(path))) holding.push(commit);
  }
  return holding.length === 1 ? (holding[0] ?? null) : null;
}

/**
 * Reads the first line of a commit's message, which a hook may have changed; returns no `subject` if git cannot.
 * @throws DevCliError `INTERRUPTED`
 */
export async function readSubject(
  workTree: string,
  sha: string | null,
  options: GitOptions,
): Promise<{ subject?: string }> {
  const log = ['log', '-1', '--no-show-signature', '--format=%B'];
  const said = sha === null ? null : await nullIfRefused(executeGit(workTree, [...log, sha], options));
  const subject = said?.toString('utf8').trimStart().split('\n', 1)[0] ?? '';
  return subject === '' ? {} : { subject };
}

/** Returns whether `from` is an ancestor of `to`; false if either is missing. @throws DevCliError `INTERRUPTED` */
export async function isAncestor(workTree: string, from: string, to: string, options: GitOptions): Promise<boolean> {
  return (await nullIfRefused(executeGit(workTree, ['merge-base', '--is-ancestor', from, to], options))) !== null;
}

/** A commit as `git log` prints it. */
export interface LoggedCommit {
  sha: string;
  subject: string;
  /** The changed paths, relative to the work tree; empty for a merge. */
  paths: string[];
  /** The value `<runId>/<todo>` of a dev-cli trailer in the message; null without one. */
  key: string | null;
}

/** Maximum number of commits read; a report names only a few. */
const MOST = 50;

/**
 * Asks git for the newest commits in a range, oldest first, for `readCommitsNow` (present.ts).
 * @param range.from null for the whole history
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export function* lookAtCommits(
  workTree: string,
  { from, to }: { from: string | null; to: string },
): GitQuery<LoggedCommit[]> {
  const shown = ['--format=%x00%H%x01%B%x01', '--name-only', '--no-renames', '--relative', '--no-show-signature'];
  const range = from === null ? to : `${from}..${to}`;
  const answer = yield* queryGit(workTree, ['log', '--reverse', `--max-count=${MOST}`, ...shown, range]);
  const own = new RegExp(`^(?:${TASK_TRAILER}|Dev-Cli-Undo): (\\S+)$`, 'm');
  return answer
    .toString('utf8')
    .split('\0')
    .slice(1)
    .map((commit) => {
      const [sha = '', message = '', paths = ''] = commit.split('\x01');
      const [subject = ''] = message.split('\n', 1);
      return { sha, subject, paths: paths.split('\n').filter(Boolean), key: own.exec(message)?.[1] ?? null };
    });
}
