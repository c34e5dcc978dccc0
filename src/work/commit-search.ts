import { listCommitPaths } from './commit-index.js';
import { type Asking, askGit, type GitOptions, git, nullIfRefused } from './git-command.js';

/** Finds the commits of a run in the history (engine.md, Commits). */

/** The trailer that names the run and the todo. */
export const TRAILER = 'Dev-Cli-Task';

/** Whether a line of a commit message looks like the trailer. */
export function isTrailer(line: string): boolean {
  return new RegExp(`^\\s*${TRAILER}\\s*:`, 'i').test(line);
}

/**
 * Finds the commit with this trailer among those since `since` (null: all) up to HEAD; null if there is none.
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
    const head = await nullIfRefused(git(workTree, ['rev-parse', '--verify', '--quiet', 'HEAD'], options));
    // Before the first commit there is nothing to search.
    if (head === null) return null;
    throw error;
  }
}

/** Finds the commit in the same way, up to a given commit instead of HEAD. @throws DevCliError as `findCommit` */
export function findCommitIn(
  workTree: string,
  key: string,
  range: { since: string | null; head: string | null },
  options: GitOptions = {},
): Promise<string | null> {
  return findCommitByLine(workTree, `${TRAILER}: ${key}`, range, options);
}

/**
 * Finds the commit with this line in its message among those since `since` (null: all) up to `head`; null if there is none.
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
  // If history was rewritten, `since` may be gone: then all of it is searched.
  const recent = since === null ? null : await nullIfRefused(git(workTree, [...only, `${since}..${head}`], options));
  const answer = recent ?? (await git(workTree, [...only, head], options));
  // Any line of the message counts: where a hook has added text behind it, git no longer sees a trailer.
  const found = answer
    .toString('utf8')
    .split('\0')
    .map((commit) => commit.split('\n'))
    .filter((lines) => lines.some((each) => each.trim() === line));
  // The oldest is ours: a hook may add commits with our message. Without `since` it is the newest, since a todo may be
  // redone.
  return (recent === null ? found[0] : found.at(-1))?.[0] ?? null;
}

/** In how many commits to look for one that lost its trailer. */
const LOOKED_AT = 50;

/**
 * Finds the one commit since `before` that holds all of these paths, for a commit whose trailer a hook has removed.
 * @returns null if there is none, or several, of which any could be ours
 * @throws DevCliError `INTERRUPTED`
 */
export async function findCommitByPaths(
  workTree: string,
  paths: readonly string[],
  before: string | null,
  options: GitOptions = {},
): Promise<string | null> {
  const range = before === null ? 'HEAD' : `${before}..HEAD`;
  const listed = await nullIfRefused(git(workTree, ['rev-list', `--max-count=${LOOKED_AT + 1}`, range], options));
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
 * Reads the first line of a commit's message: a hook may have written another than was asked for. Nothing where git cannot say.
 * @throws DevCliError `INTERRUPTED`
 */
export async function readSubject(
  workTree: string,
  sha: string | null,
  options: GitOptions,
): Promise<{ subject?: string }> {
  const log = ['log', '-1', '--no-show-signature', '--format=%B'];
  const said = sha === null ? null : await nullIfRefused(git(workTree, [...log, sha], options));
  const subject = said?.toString('utf8').trimStart().split('\n', 1)[0] ?? '';
  return subject === '' ? {} : { subject };
}

/** Whether a commit is in the history of another; false if either is gone. @throws DevCliError `INTERRUPTED` */
export async function isAncestor(workTree: string, from: string, to: string, options: GitOptions): Promise<boolean> {
  return (await nullIfRefused(git(workTree, ['merge-base', '--is-ancestor', from, to], options))) !== null;
}

/** A commit as the history shows it. */
export interface LoggedCommit {
  sha: string;
  subject: string;
  /** What it changed, relative to the work tree; of a merge nothing. */
  paths: string[];
  /** What it is of, where its message has a trailer of dev-cli: `<runId>/<todo>`. */
  key: string | null;
}

/** Commits that are looked at; a report names only a few. */
const MOST = 50;

/**
 * What `readCommitsNow` (present.ts) asks: the newest commits between two, oldest first.
 * @param range.from null for all
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export function* lookAtCommits(
  workTree: string,
  { from, to }: { from: string | null; to: string },
): Asking<LoggedCommit[]> {
  const shown = ['--format=%x00%H%x01%B%x01', '--name-only', '--no-renames', '--relative', '--no-show-signature'];
  const range = from === null ? to : `${from}..${to}`;
  const answer = yield* askGit(workTree, ['log', '--reverse', `--max-count=${MOST}`, ...shown, range]);
  const own = new RegExp(`^(?:${TRAILER}|Dev-Cli-Undo): (\\S+)$`, 'm');
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
