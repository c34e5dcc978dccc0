import { type GitOptions, git, nullIfRefused } from './git-command.js';
import { splitNames } from './status.js';

/** Commits of a run, found again in the history (engine.md, Commits). */

/** The trailer that names the run and the todo. */
export const TRAILER = 'Dev-Cli-Task';

/** Whether a line of a message names a task. */
export function isTrailer(line: string): boolean {
  return new RegExp(`^\\s*${TRAILER}\\s*:`, 'i').test(line);
}

/**
 * The commit with this trailer, looked for from `since` (null: from the beginning) to what is checked out; null when there
 * is none.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function findCommit(
  workTree: string,
  key: string,
  since: string | null,
  around: GitOptions = {},
): Promise<string | null> {
  return findCommitIn(workTree, key, { since, head: await findHead(workTree, around) }, around);
}

/** The same up to a commit that the caller knows. Throws as `findCommit`. */
export async function findCommitIn(
  workTree: string,
  key: string,
  { since, head }: { since: string | null; head: string | null },
  around: GitOptions = {},
): Promise<string | null> {
  if (head === null || head === since) return null;
  const line = `${TRAILER}: ${key}`;
  const only = ['log', '--no-show-signature', '--fixed-strings', `--grep=${line}`, '-z', '--format=%H%n%B'];
  // Where history was rewritten, the commit that it is looked for from may be gone.
  const recent = since === null ? null : await nullIfRefused(git(workTree, [...only, `${since}..${head}`], around));
  const answer = recent ?? (await git(workTree, [...only, head], around));
  // A whole line anywhere in the message: behind hooks that add to it, git takes ours for no trailer any more.
  const found = answer
    .toString('utf8')
    .split('\0')
    .map((commit) => commit.split('\n'))
    .filter((lines) => lines.some((each) => each.trim() === line));
  // What a hook makes of our commit afterwards, with our message, comes later; what a todo was redone for, too.
  return (recent === null ? found[0] : found.at(-1))?.[0] ?? null;
}

/** Commits looked at for one that lost its trailer. */
const LOOKED_AT = 50;

/**
 * The one commit since `before` that holds all of these paths; null when there is none or there are several: then it cannot
 * be told which is ours. For a commit whose trailer a hook has taken away.
 * @throws DevCliError `INTERRUPTED`
 */
export async function findCommitByPaths(
  workTree: string,
  paths: readonly string[],
  before: string | null,
  around: GitOptions = {},
): Promise<string | null> {
  const range = before === null ? 'HEAD' : `${before}..HEAD`;
  const listed = await nullIfRefused(git(workTree, ['rev-list', `--max-count=${LOOKED_AT + 1}`, range], around));
  const commits = listed === null ? [] : listed.toString('utf8').split('\n').filter(Boolean);
  if (commits.length > LOOKED_AT) return null;
  const holding: string[] = [];
  for (const commit of commits) {
    const args = [
      'diff-tree',
      '-r',
      '-z',
      '--root',
      '--no-commit-id',
      '--name-only',
      '--no-renames',
      '--relative',
      commit,
    ];
    const held = new Set(splitNames((await nullIfRefused(git(workTree, args, around))) ?? Buffer.alloc(0)));
    if (paths.every((path) => held.has(path))) holding.push(commit);
  }
  return holding.length === 1 ? (holding[0] ?? null) : null;
}

/** The commit checked out; null before the first one. @throws DevCliError `INTERRUPTED` */
async function findHead(workTree: string, around: GitOptions = {}): Promise<string | null> {
  const answer = await nullIfRefused(git(workTree, ['rev-parse', '--verify', '--quiet', 'HEAD'], around));
  return answer === null ? null : answer.toString('utf8').trim();
}

/** Whether a commit is part of another one's history; a commit that is gone is of none. @throws DevCliError `INTERRUPTED` */
export async function isAncestor(workTree: string, from: string, to: string, around: GitOptions): Promise<boolean> {
  return (await nullIfRefused(git(workTree, ['merge-base', '--is-ancestor', from, to], around))) !== null;
}
