import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DevCliError } from '../base/errors.js';
import { COMMIT_STATE_FILES, findCommitObstacle } from './commit-head.js';
import { executeGit, findRepository, type GitOptions, nullIfRefused, resultOrProblem } from './git-command.js';
import { readLine } from './undo.js';

/** Creates dev-cli's own work trees beside the user's, and moves the branches they work for (loop-core.md, auto). */

/** Options that keep git from running hooks and maintenance. */
export const QUIET_GIT_OPTIONS = ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false'].flatMap((one) => [
  '-c',
  one,
]);

/**
 * What a work tree of dev-cli belongs to. A dev-cli that is called in the tree finds the root by it (protocol.md,
 * Root).
 */
export interface TreePointer {
  /** The absolute path of the root. */
  root: string;
  /** The run; null for a session without one. */
  run: string | null;
  /** The path in the tree that corresponds to the root, relative to the tree's top; empty for the top itself. */
  below: string;
  /** The goal of handoffs written in this tree. */
  goal: string;
}

/**
 * Creates a work tree with a commit checked out and no branch. Recreates it if it exists.
 * @param top absolute: any work tree of the repository
 * @param path absolute
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function addTree(top: string, path: string, commit: string, options: GitOptions): Promise<void> {
  await patiently(async () => {
    await removeTree(top, path, options);
    await executeGit(top, [...QUIET_GIT_OPTIONS, 'worktree', 'add', '--quiet', '--detach', path, commit], options);
  });
}

/** How often a git command is retried, and the pause between tries in milliseconds. */
const TRIES = 10;
const PAUSE = 100;

/**
 * Retries a command that git may refuse while another process creates a work tree: git reads all work trees, and one
 * that is half made is an error.
 */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
      await sleep(PAUSE);
    }
  }
}

/**
 * Records in a work tree which root it belongs to and, once known, which run. @throws DevCliError `GIT_FAILED`, `IO`
 */
export async function pointTree(
  path: string,
  { root, run, below, goal }: TreePointer,
  options: GitOptions,
): Promise<void> {
  const directory = await readLine(path, ['rev-parse', '--absolute-git-dir'], options);
  const text = `${root}\n${run ?? '-'}\n${below}\n${goal}\n`;
  writeFileSync(join(directory, 'dev-cli-root'), text, { flush: true });
}

/**
 * Removes a work tree, even a damaged one; does nothing if there is none. @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function removeTree(top: string, path: string, options: GitOptions): Promise<void> {
  if (existsSync(path))
    await nullIfRefused(executeGit(top, ['worktree', 'remove', '--force', '--force', path], options));
  rmSync(path, { recursive: true, force: true });
  await nullIfRefused(executeGit(top, ['worktree', 'prune'], options));
}

/**
 * Repairs a work tree's `.git` file, which a program run in the tree may have deleted or replaced by a repository of
 * its own; removes such a repository.
 * @returns whether the work tree is usable again
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function repairTree(top: string, path: string, options: GitOptions): Promise<boolean> {
  // If a link has replaced the work tree, the repair would change files elsewhere.
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const pointer = join(path, '.git');
  const before = lstatSync(pointer, { throwIfNoEntry: false });
  if (before === undefined || !before.isFile()) {
    rmSync(pointer, { recursive: true, force: true });
    await nullIfRefused(executeGit(top, ['worktree', 'repair'], options));
  }
  return existsSync(pointer);
}

/**
 * Copies files and directories to another tree, and links as links. Skips paths that the source lacks.
 * @param paths relative to both trees
 * @param overwrites whether existing files are replaced
 * @returns the skipped paths
 * @throws DevCliError `IO`
 */
export function copyPaths(from: string, to: string, paths: readonly string[], overwrites: boolean): string[] {
  return paths.filter((path) => {
    const source = resolve(from, path);
    if (lstatSync(source, { throwIfNoEntry: false }) === undefined) return true;
    const target = resolve(to, path);
    try {
      mkdirSync(dirname(target), { recursive: true });
      cpSync(source, target, { recursive: true, force: overwrites, verbatimSymlinks: true });
    } catch (cause) {
      const problem = `cannot be copied to ${target}: ${cause instanceof Error ? cause.message : 'the reason is unknown'}`;
      throw new DevCliError('IO', `${source} ${problem}.`, { details: [{ target: source, problem }], cause });
    }
    return false;
  });
}

/**
 * Returns the commit at the tip of a branch; null if the branch does not exist. @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findTip(top: string, branch: string, options: GitOptions): Promise<string | null> {
  return findCommitOf(top, `refs/heads/${branch}`, options);
}

/** Returns the commit that a ref or revision names; null if there is none. @throws DevCliError `IO`, `INTERRUPTED` */
export async function findCommitOf(top: string, name: string, options: GitOptions): Promise<string | null> {
  return nullIfRefused(readLine(top, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], options));
}

/**
 * Moves a reference from one commit to another, atomically.
 * @param from null: the reference must not exist yet
 * @param to null: the reference is removed
 * @returns git's reason if it refused
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function moveReference(
  top: string,
  name: string,
  { from, to }: { from: string | null; to: string | null },
  options: GitOptions,
): Promise<string | null> {
  const old = from ?? '0'.repeat(40);
  const args = to === null ? ['update-ref', '-d', name, old] : ['update-ref', '-m', 'dev-cli', name, to, old];
  const said = await resultOrProblem(() => executeGit(top, args, options));
  return typeof said === 'string' ? said : null;
}

/** Lists the references below a prefix, with their commits. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
export async function listReferences(top: string, prefix: string, options: GitOptions): Promise<Map<string, string>> {
  const lines = await readLine(top, ['for-each-ref', '--format=%(refname) %(objectname)', prefix], options);
  return new Map(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  );
}

/** The outcome of moving a branch. `behind`: somebody else has moved the branch to another commit. */
export type BranchMove = { kind: 'moved' } | { kind: 'behind' } | { kind: 'refused'; reason: string };

/**
 * Moves a branch forward. If a work tree has it checked out, also updates the files there, but never overwrites an
 * uncommitted file, not even an ignored one.
 * @param top absolute: any work tree of the repository
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function moveBranch(
  top: string,
  branch: string,
  { from, to }: { from: string; to: string },
  options: GitOptions,
): Promise<BranchMove> {
  const tip = await findTip(top, branch, options);
  if (tip === to) return { kind: 'moved' };
  if (tip !== from) return { kind: 'behind' };
  const tree = await findTreeOf(top, branch, options);
  if (tree === null) return moveAlone(top, branch, { from, to }, options);
  const found = await findRepository(tree, options, COMMIT_STATE_FILES);
  const hindrance =
    found.kind === 'repository' && found.places !== null ? await findCommitObstacle(found.places) : null;
  if (hindrance !== null) return { kind: 'refused', reason: `${hindrance} in ${tree}` };
  const settings = [...QUIET_GIT_OPTIONS, '-c', 'merge.autoStash=false', '-c', 'merge.verifySignatures=false'];
  const merge = ['merge', '--quiet', '--ff-only', '--no-overwrite-ignore', to];
  const said = await resultOrProblem(() => executeGit(tree, [...settings, ...merge], options));
  if (typeof said !== 'string') return { kind: 'moved' };
  return (await findTip(top, branch, options)) === from ? { kind: 'refused', reason: said } : { kind: 'behind' };
}

async function moveAlone(
  top: string,
  branch: string,
  move: { from: string; to: string },
  options: GitOptions,
): Promise<BranchMove> {
  if (await isRebased(top, branch, options)) return { kind: 'refused', reason: `a rebase of ${branch} is in progress` };
  const refused = await moveReference(top, `refs/heads/${branch}`, move, options);
  if (refused === null) return { kind: 'moved' };
  return (await findTip(top, branch, options)) === move.from
    ? { kind: 'refused', reason: refused }
    : { kind: 'behind' };
}

/**
 * Lists the repository's work trees, each with the lines of `git worktree list` about it.
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
async function listTrees(top: string, options: GitOptions): Promise<{ path: string; lines: string[] }[]> {
  const ask = () => executeGit(top, ['worktree', 'list', '--porcelain', '-z'], options);
  const listed = (await patiently(ask)).toString('utf8');
  return listed.split('\0\0').flatMap((one) => {
    const lines = one.split('\0');
    const path = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    return path === undefined ? [] : [{ path, lines }];
  });
}

/** Returns the absolute path of the work tree that has a branch checked out; null if there is none. */
async function findTreeOf(top: string, branch: string, options: GitOptions): Promise<string | null> {
  const trees = await listTrees(top, options);
  return trees.find(({ lines }) => lines.includes(`branch refs/heads/${branch}`))?.path ?? null;
}

/**
 * Returns whether a branch is being rebased. HEAD is then detached, so git does not report the branch as checked out.
 */
async function isRebased(top: string, branch: string, options: GitOptions): Promise<boolean> {
  const names = ['rebase-merge/head-name', 'rebase-apply/head-name'];
  for (const { path: tree } of await listTrees(top, options)) {
    if (!existsSync(tree)) continue;
    const found = await findRepository(tree, options, names);
    const places = found.kind === 'repository' ? (found.places ?? []) : [];
    if (places.some((path) => existsSync(path) && readFileSync(path, 'utf8').trim() === `refs/heads/${branch}`)) {
      return true;
    }
  }
  return false;
}
