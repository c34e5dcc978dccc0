import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { type Asking, ask, askGit, buildUserEnvironment, type GitOptions, git } from './git-command.js';
import { splitNames } from './status.js';
import { type TodoCommit, UNDO_TRAILER } from './undo-search.js';

/**
 * Takes commits back as `git revert` does, in one commit (control.md, Undoing). What it comes to is computed beside the work tree
 * and the index, which change only once it is known that nothing is in the way.
 */

/** What taking commits back would come to. */
export type UndoPlan =
  /** `paths` is empty where they have been taken back already, whoever did it. */
  | { kind: 'clean'; head: string; tree: string; paths: string[] }
  /** Later commits changed the same places. */
  | { kind: 'conflict'; commit: TodoCommit; paths: { path: string; later: string[] }[] }
  /** Work that is not committed lies in the way. */
  | { kind: 'dirty'; paths: string[] };

/** Options of a commit that git only needs to compute with. */
const NOBODY = ['-c', 'user.name=dev-cli', '-c', 'user.email=dev-cli@localhost', '-c', 'commit.gpgSign=false'];

/**
 * Computes what taking these commits back comes to. Changes neither the work tree nor the index.
 * @param top absolute path of the top of the repository
 * @param commits newest first
 * @throws DevCliError `GIT_FAILED`, also for a git before 2.38; `IO`, `INTERRUPTED`
 */
export async function planUndo(top: string, commits: readonly TodoCommit[], options: GitOptions): Promise<UndoPlan> {
  const head = await readLine(top, ['rev-parse', '--verify', 'HEAD'], options);
  let tree = await readLine(top, ['rev-parse', 'HEAD^{tree}'], options);
  for (const commit of commits) {
    const merged = await ask(mergeBack(top, tree, commit.sha), options);
    if (merged.conflicts.length > 0) {
      const paths = await Promise.all(merged.conflicts.map((path) => nameLater(top, commit.sha, path, options)));
      return { kind: 'conflict', commit, paths };
    }
    tree = merged.tree;
  }
  const paths = splitNames(
    await git(top, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', head, tree], options),
  );
  const dirty = paths.length === 0 ? [] : await listInTheWay(top, { head, tree, paths }, options);
  return dirty.length > 0 ? { kind: 'dirty', paths: dirty } : { kind: 'clean', head, tree, paths };
}

/**
 * Merges the step from a commit back to its parent into a tree, with the commit as the base. Git takes bases only of commits
 * before 2.45, so the three trees are given commits that nobody else sees.
 */
function* mergeBack(top: string, tree: string, sha: string): Asking<{ tree: string; conflicts: string[] }> {
  const listed = yield* askGit(top, ['rev-list', '--parents', '--max-count=1', sha]);
  const [, parent] = listed.toString('utf8').trim().split(' ');
  const before = parent === undefined ? yield* askLine(top, ['mktree']) : `${parent}^{tree}`;
  const base = yield* askLine(top, [...NOBODY, 'commit-tree', `${sha}^{tree}`, '-m', 'base']);
  const ours = yield* askLine(top, [...NOBODY, 'commit-tree', tree, '-p', base, '-m', 'ours']);
  const theirs = yield* askLine(top, [...NOBODY, 'commit-tree', before, '-p', base, '-m', 'theirs']);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const answer = yield { directory: top, args };
  // 1: there are conflicts. Anything else, is a failure.
  if (answer !== 'no-git' && answer.exit === 1) {
    const [merged = '', ...conflicts] = splitNames(answer.stdout);
    return { tree: merged, conflicts };
  }
  if (answer !== 'no-git' && answer.exit === UNKNOWN_OPTION) {
    throw new DevCliError('GIT_FAILED', 'This git cannot merge beside the work tree; git 2.38 or later can.', {
      fix: 'Nothing changed. Update git, then repeat the command.',
    });
  }
  const [merged = ''] = splitNames(yield* askGit(top, args));
  return { tree: merged, conflicts: [] };
}

/** What git exits with where it does not know how it is called. */
const UNKNOWN_OPTION = 129;

function* askLine(top: string, args: string[]): Asking<string> {
  return (yield* askGit(top, args)).toString('utf8').trim();
}

async function readLine(top: string, args: string[], options: GitOptions): Promise<string> {
  return (await git(top, args, options)).toString('utf8').trim();
}

/** Most later commits that are named for a path. */
const LATER_NAMED = 5;

async function nameLater(top: string, sha: string, path: string, options: GitOptions) {
  const asked = ['--literal-pathspecs', 'log', '--no-show-signature', `--max-count=${LATER_NAMED}`, '--format=%h %s'];
  const said = (await git(top, [...asked, `${sha}..HEAD`, '--', path], options)).toString('utf8');
  return { path, later: said.split('\n').filter(Boolean) };
}

/**
 * Lists paths whose content in the work tree or the index is neither HEAD's nor what it would become: the latter is what a call
 * that was cut off has left.
 */
async function listInTheWay(
  top: string,
  { head, tree, paths }: { head: string; tree: string; paths: string[] },
  options: GitOptions,
): Promise<string[]> {
  const found = new Set<string>();
  for (let at = 0; at < paths.length; at += PORTION) {
    const some = paths.slice(at, at + PORTION);
    const differing = async (...args: string[]) =>
      new Set(splitNames(await git(top, ['--literal-pathspecs', ...args, '-z', '--', ...some], options)));
    const names = ['--name-only', '--no-renames', '--no-ext-diff'];
    const [changed, staged, untracked, undone, stagedUndone] = await Promise.all([
      differing('diff', ...names, head),
      differing('diff', '--cached', ...names, head),
      differing('ls-files', '--others'),
      differing('diff', ...names, tree),
      differing('diff', '--cached', ...names, tree),
    ]);
    for (const path of some) {
      const isTouched = changed.has(path) || staged.has(path) || untracked.has(path);
      const isUndone = !undone.has(path) && (!stagedUndone.has(path) || !staged.has(path));
      if ((isTouched && !isUndone) || (await isBlocked(top, path))) found.add(path);
    }
  }
  return [...found];
}

/** The length of a command line is limited. */
const PORTION = 200;

/** Whether a file cannot stand at a path because a directory does, or a file where a directory above it would be. */
async function isBlocked(top: string, path: string): Promise<boolean> {
  if ((await kindOf(join(top, path))) === 'directory') return true;
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    if ((await kindOf(join(top, above))) === 'other') return true;
  }
  return false;
}

async function kindOf(path: string): Promise<'directory' | 'other' | 'missing'> {
  const facts = await lstat(path).catch(() => null);
  if (facts === null) return 'missing';
  return facts.isDirectory() ? 'directory' : 'other';
}

/**
 * Makes the commit: first its files, in work tree and index, then HEAD. A call that was cut off may be repeated. As with `git
 * revert`, no hook judges it.
 * @param plan as just computed
 * @returns the sha
 * @throws DevCliError `GIT_FAILED`, also where HEAD has moved since; `IO`, `INTERRUPTED`
 */
export async function makeUndo(
  top: string,
  { head, tree, paths }: Extract<UndoPlan, { kind: 'clean' }>,
  { commits, keys, signs }: { commits: readonly TodoCommit[]; keys: readonly string[]; signs: boolean },
  given: GitOptions,
): Promise<string> {
  const options = { ...given, env: buildUserEnvironment(given.env ?? process.env) };
  const message = { ...options, input: renderMessage(commits, keys) };
  const sign = signs ? ['-S'] : [];
  const sha = await readLine(top, ['commit-tree', ...sign, tree, '-p', head, '-F', '-'], message);
  const restore = [
    'restore',
    `--source=${sha}`,
    '--staged',
    '--worktree',
    '--pathspec-from-file=-',
    '--pathspec-file-nul',
  ];
  // What a call that was cut off has put in place already, git may know nothing of.
  const input = (await listUnlike(top, sha, paths, options)).map((path) => `${path}\0`).join('');
  if (input !== '') await git(top, ['--literal-pathspecs', ...restore], { ...options, input });
  await git(top, ['update-ref', '-m', `dev-cli: undo ${keys.join(', ')}`, 'HEAD', sha, head], options);
  return sha;
}

/** Lists those of the paths that are not as a commit has them, in the work tree or the index. */
async function listUnlike(top: string, sha: string, paths: readonly string[], options: GitOptions): Promise<string[]> {
  const names = ['--name-only', '--no-renames', '--no-ext-diff', '-z'];
  const [changed, staged] = await Promise.all([
    git(top, ['diff', ...names, sha], options),
    git(top, ['diff', '--cached', ...names, sha], options),
  ]);
  const unlike = new Set([...splitNames(changed), ...splitNames(staged)]);
  return paths.filter((path) => unlike.has(path));
}

function renderMessage(commits: readonly TodoCommit[], keys: readonly string[]): string {
  const [first] = commits;
  const more = commits.length > 1 ? ` and ${commits.length - 1} more` : '';
  const reverted = commits.map(({ sha }) => `This reverts commit ${sha}.`);
  const trailers = keys.map((key) => `${UNDO_TRAILER}: ${key}`);
  return `Revert "${first?.subject ?? ''}"${more}\n\n${reverted.join('\n')}\n\n${trailers.join('\n')}\n`;
}

/** Whether a remote branch, as this repository knows it, has the commit. @throws DevCliError `GIT_FAILED`, `INTERRUPTED` */
export async function isPushed(top: string, sha: string, options: GitOptions): Promise<boolean> {
  return (await git(top, ['branch', '--remotes', '--contains', sha, '--format=x'], options)).length > 0;
}

/** Names branches that have a commit; none where it is gone. @throws DevCliError `INTERRUPTED`, `IO` */
export async function listBranchesWith(top: string, sha: string, options: GitOptions): Promise<string[]> {
  const said = await git(top, ['branch', '--all', '--contains', sha, '--format=%(refname:short)'], options);
  return said.toString('utf8').split('\n').filter(Boolean);
}
