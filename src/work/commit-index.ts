import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import type { Baseline } from './baseline.js';
import { executeGit, type GitOptions } from './git-command.js';
import { splitNames } from './status.js';

/** Prepares the user's index for committing a run's work, and restores it afterwards. */

/**
 * Registers new files with git (`add --intent-to-add`), because `commit --only` would otherwise refuse them. May be
 * repeated.
 * @param paths must not contain ignored untracked files: `--force`, needed for tracked files below an ignored
 * directory, would add them
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function announceNew(workTree: string, paths: readonly string[], options: GitOptions = {}): Promise<void> {
  const there = await listExisting(workTree, paths);
  for (const some of splitIntoPortions(there)) {
    await executeGit(workTree, ['--literal-pathspecs', 'add', '--intent-to-add', '--force', '--', ...some], options);
  }
}

/**
 * Undoes `announceNew` for files that were not committed, so that the user's index is as it was before.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function withdrawNew(workTree: string, paths: readonly string[], options: GitOptions = {}): Promise<void> {
  const announced = await executeGit(workTree, ['diff', '--diff-filter=A', ...LISTED], options);
  const ours = new Set(paths);
  const back = splitNames(announced).filter((path) => ours.has(path));
  for (const some of splitIntoPortions(back)) {
    await executeGit(workTree, ['--literal-pathspecs', 'rm', '--cached', '--quiet', '--', ...some], options);
  }
}

/**
 * Updates the index to match a commit just made. If a hook changed the committed content, git leaves the content from
 * before the hook in the index, where it looks like a staged change. May be repeated.
 * @param before the work tree when the run began; index entries of paths that were dirty then are the user's and stay
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function syncIndex(
  workTree: string,
  commit: string,
  before: Baseline,
  options: GitOptions = {},
): Promise<void> {
  const staged = splitNames(await executeGit(workTree, ['diff', '--cached', ...LISTED], options));
  if (staged.length === 0) return;
  const held = await listCommitPaths(workTree, commit, options);
  const ours = new Set(held.filter((path) => !Object.hasOwn(before.dirty, path)));
  for (const some of splitIntoPortions(staged.filter((path) => ours.has(path)))) {
    await executeGit(workTree, ['--literal-pathspecs', 'reset', '--quiet', 'HEAD', '--', ...some], options);
  }
}

const LISTED = ['--name-only', '--no-renames', '--relative', '-z'];

/**
 * Lists the paths that a commit changed.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function listCommitPaths(workTree: string, commit: string, options: GitOptions = {}): Promise<string[]> {
  const asked = ['diff-tree', '-r', '--no-commit-id', '--root', ...LISTED, commit];
  return splitNames(await executeGit(workTree, asked, options));
}

async function listExisting(workTree: string, paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map((path) => mayExist(join(workTree, path))));
  return paths.filter((_, index) => there[index]);
}

/** Returns whether a path exists; true also if that cannot be checked. */
export async function mayExist(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => getSystemCode(error) !== 'ENOENT' && getSystemCode(error) !== 'ENOTDIR',
  );
}

/** Splits paths into groups, since the length of a command line is limited. */
function splitIntoPortions(paths: readonly string[]): string[][] {
  const size = 200;
  return Array.from({ length: Math.ceil(paths.length / size) }, (_, at) => paths.slice(at * size, (at + 1) * size));
}
