import type { WorkTreeStatus } from './baseline.js';
import { findHeadRefusal, findHindrance } from './commit-head.js';
import { type CommitScope, type LeftPath, listLeftPaths, selectPaths } from './commit-paths.js';
import { findCommitIn, TRAILER } from './commit-search.js';
import { readPresent } from './git.js';
import { buildUserEnvironment, type GitOptions, git, nullIfRefused } from './git-command.js';

/**
 * Plans the commits of a run's work (engine.md, Commits). Each carries a trailer by which it is looked for before it is
 * made, so that it is made once however often dev-cli is cut off.
 */

/** Where HEAD was when the commit was planned. */
export type HeadPosition = Pick<WorkTreeStatus, 'head' | 'branch'>;

/** What there is to commit. */
export type CommitPlan =
  | { kind: 'found'; sha: string }
  | { kind: 'nothing'; why: string; left: LeftPath[] }
  /** The commit has to wait. `head`: because of where HEAD is, which a person may accept. */
  | { kind: 'later'; why: string; left: LeftPath[]; head: boolean }
  | { kind: 'ready'; paths: string[]; left: LeftPath[]; at: HeadPosition };

/**
 * Determines what a commit would hold, and whether it is already made. Changes nothing.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function planCommit(workTree: string, scope: CommitScope, options: GitOptions = {}): Promise<CommitPlan> {
  const now = await readPresent(workTree, options);
  if (now === null) return { kind: 'nothing', why: 'no repository', left: [] };
  const { head, branch } = now;
  const sha = await findCommitIn(workTree, scope.key, { since: scope.since.head, head }, options);
  if (sha !== null) return { kind: 'found', sha };
  const { paths, left } = await selectPaths(workTree, now, scope, options);
  const settled = [...paths, ...left.map(({ path }) => path)];
  const named = [...left, ...(await listLeftPaths(workTree, now, scope, settled, options))];
  if (paths.length === 0) return { kind: 'nothing', why: 'nothing to commit', left: named };
  const hindrance = await findHindrance(workTree, options);
  if (hindrance !== null) return { kind: 'later', why: hindrance, left: named, head: false };
  const refusal = scope.head === undefined ? null : await findHeadRefusal(workTree, now, scope.head, options);
  if (refusal !== null) return { kind: 'later', why: refusal, left: named, head: true };
  return { kind: 'ready', paths, left: named, at: { head, branch } };
}

/**
 * Builds the command that makes the commit, for the detached runner, since hooks may take long. It reads message and
 * paths from files, so that no path can be taken for an option or a pattern.
 */
export function buildCommitCommand(messageFile: string, pathsFile: string): string[] {
  return [
    'git',
    '--literal-pathspecs',
    'commit',
    '--only',
    '--quiet',
    '--cleanup=whitespace',
    `--file=${messageFile}`,
    `--pathspec-from-file=${pathsFile}`,
    '--pathspec-file-nul',
  ];
}

/** Builds the contents of the two files: the message with its trailer, and the NUL-terminated paths. */
export function buildCommitFiles(
  message: string,
  key: string,
  paths: readonly string[],
): { message: string; paths: string } {
  return { message: `${message.trim()}\n\n${TRAILER}: ${key}\n`, paths: paths.map((path) => `${path}\0`).join('') };
}

/**
 * Whether the command failed because there was nothing to commit, as with a file that was staged and is gone. Ask
 * before `withdrawNew`. Runs no hooks.
 * @throws DevCliError `INTERRUPTED`
 */
export async function isEmptyCommit(
  workTree: string,
  messageFile: string,
  pathsFile: string,
  options: GitOptions = {},
): Promise<boolean> {
  const [, ...args] = buildCommitCommand(messageFile, pathsFile);
  return (await nullIfRefused(git(workTree, [...args, '--dry-run'], options))) === null;
}

/** Builds the command's environment, in English, so that git's messages are recognised (`isHindrance`). */
export function buildCommitEnvironment(inherited: NonNullable<GitOptions['env']>): NonNullable<GitOptions['env']> {
  return { ...buildUserEnvironment(inherited), LANGUAGE: 'en' };
}

/** Whether git's message means that it could not write just now, rather than that it refused the commit. */
export function isHindrance(output: string): boolean {
  const unwritable = /index\.lock|read-only file system|permission denied|insufficient permission|no space left/i;
  // The second: a file that existed when the commit was planned is gone.
  return unwritable.test(output) || /did not match any file\(s\) known to git/.test(output);
}

/** Whether git refused a path that the sparse checkout leaves out: trying again will not help. */
export function isOutsideSparse(output: string): boolean {
  return /outside of your sparse-checkout/.test(output);
}

/** Git's exit code if it cannot commit anything: no identity, a key that cannot sign, a broken repository. */
export const GIT_CANNOT = 128;
