import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { executeGit, type GitOptions, type GitQuery, queryGit, runGitQuery } from './git-command.js';
import { listParents } from './paths.js';
import type { TreeChange } from './place-files.js';
import { splitNames } from './status.js';
import type { TodoCommit } from './undo-search.js';

/**
 * Plans the single commit that undoes other commits as `git revert` does (control.md, Undoing). Touches neither the
 * work tree nor the index; `makeUndoCommit` changes them only after this plan has shown that nothing is in the way.
 */

/** What undoing the commits would result in. */
export type UndoPlan =
  /** The undo can be made. `paths` is empty if it was made already, by dev-cli or by hand. */
  | { kind: 'clean'; head: string; tree: string; paths: string[]; changes: TreeChange[] }
  /** Later commits changed the same lines; `later` names them. */
  | { kind: 'conflict'; commit: TodoCommit; paths: { path: string; later: string[] }[] }
  /** Paths in the work tree that cannot be changed, each with the reason. */
  | { kind: 'blocked'; paths: { path: string; by: UndoObstacle }[] }
  /** The parent of a commit is not in this repository, since it is a shallow clone. */
  | { kind: 'shallow'; commit: TodoCommit };

/** Why a path cannot be changed: it has uncommitted work, git is told to ignore its changes, or it is a submodule. */
export type UndoObstacle = 'uncommitted' | 'unseen' | 'submodule';

/** Options for temporary commits that git needs only to compute the result. */
const NOBODY = ['-c', 'user.name=dev-cli', '-c', 'user.email=dev-cli@localhost', '-c', 'commit.gpgSign=false'];

/**
 * Computes the result of undoing these commits. Changes neither the work tree nor the index.
 * @param top absolute path of the top of the repository
 * @param commits newest first
 * @throws DevCliError `GIT_FAILED`, also for a git before 2.38; `IO`, `INTERRUPTED`
 */
export async function planUndo(top: string, commits: readonly TodoCommit[], options: GitOptions): Promise<UndoPlan> {
  const head = await readLine(top, ['rev-parse', '--verify', 'HEAD'], options);
  let tree = await readLine(top, ['rev-parse', 'HEAD^{tree}'], options);
  for (const commit of commits) {
    const merged = await runGitQuery(mergeBack(top, tree, commit.sha), options);
    if (merged === null) return { kind: 'shallow', commit };
    if (merged.conflicts.length > 0) {
      const paths = await Promise.all(merged.conflicts.map((path) => nameLater(top, commit.sha, path, options)));
      return { kind: 'conflict', commit, paths };
    }
    tree = merged.tree;
  }
  const changes = readChanges(
    await executeGit(top, ['diff-tree', '-r', '-z', '--raw', '--no-renames', head, tree], options),
  );
  const blocked = await listInTheWay(top, { head, tree, changes }, options);
  if (blocked.length > 0) return { kind: 'blocked', paths: blocked };
  return { kind: 'clean', head, tree, paths: changes.map(({ path }) => path), changes };
}

/** The mode of a submodule in a tree. */
const SUBMODULE = '160000';

/** Parses the output of `git diff-tree -z --raw`: for each path its modes, objects and status, then the path. */
function readChanges(said: Buffer): TreeChange[] {
  const words = splitNames(said);
  return words.flatMap((facts, at) => {
    if (at % 2 === 1) return [];
    const [before = '', mode = '', , blob = '', status = ''] = facts.slice(1).split(' ');
    const after = status === 'D' ? null : { mode, blob };
    return [{ path: words[at + 1] ?? '', after, isSubmodule: [before, mode].includes(SUBMODULE) }];
  });
}

/**
 * Reverts a commit in a tree: merges the tree with the commit's parent, using the commit itself as the merge base. Git
 * before 2.45 accepts only commits as merge bases, so the three trees are wrapped in temporary commits.
 * @returns null if the parent is missing
 */
function* mergeBack(top: string, tree: string, sha: string): GitQuery<{ tree: string; conflicts: string[] } | null> {
  // The parent is read from the commit: for the oldest one of a shallow clone, `git rev-list` reports none.
  const [header = ''] = (yield* queryGit(top, ['cat-file', 'commit', sha])).toString('utf8').split('\n\n', 1);
  const parent = /^parent (\S+)$/m.exec(header)?.[1];
  const found = parent === undefined ? null : yield { directory: top, args: ['cat-file', '-e', `${parent}^{tree}`] };
  if (found !== null && (found === 'no-git' || found.exit !== 0)) return null;
  const before = parent === undefined ? yield* askLine(top, ['mktree']) : `${parent}^{tree}`;
  const base = yield* askLine(top, [...NOBODY, 'commit-tree', `${sha}^{tree}`, '-m', 'base']);
  const ours = yield* askLine(top, [...NOBODY, 'commit-tree', tree, '-p', base, '-m', 'ours']);
  const theirs = yield* askLine(top, [...NOBODY, 'commit-tree', before, '-p', base, '-m', 'theirs']);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const answer = yield { directory: top, args };
  // Exit code 1 means conflicts; any other except 0 is a failure.
  if (answer !== 'no-git' && answer.exit === 1) {
    const [merged = '', ...conflicts] = splitNames(answer.stdout);
    return { tree: merged, conflicts };
  }
  if (answer !== 'no-git' && answer.exit === UNKNOWN_OPTION) {
    throw new DevCliError(
      'GIT_FAILED',
      'This version of git cannot merge outside the work tree; it takes git 2.38 or later.',
      {
        fix: 'Nothing changed. Update git, then repeat the command.',
      },
    );
  }
  const [merged = ''] = splitNames(yield* queryGit(top, args));
  return { tree: merged, conflicts: [] };
}

/** Git's exit code for unknown options. */
const UNKNOWN_OPTION = 129;

function* askLine(top: string, args: string[]): GitQuery<string> {
  return (yield* queryGit(top, args)).toString('utf8').trim();
}

/** Asks git for one line. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
export async function readLine(top: string, args: string[], options: GitOptions): Promise<string> {
  return (await executeGit(top, args, options)).toString('utf8').trim();
}

/** Maximum number of later commits that are named per path. */
const LATER_NAMED = 5;

/** Lists the commits after `sha` that changed any of these paths. @throws DevCliError `GIT_FAILED`, `INTERRUPTED` */
export async function listLaterCommits(
  top: string,
  sha: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<Set<string>> {
  const asked = ['--literal-pathspecs', 'log', '--no-show-signature', '--format=%H', `${sha}..HEAD`, '--', ...paths];
  return new Set((await executeGit(top, asked, options)).toString('utf8').split('\n').filter(Boolean));
}

async function nameLater(top: string, sha: string, path: string, options: GitOptions) {
  const asked = ['--literal-pathspecs', 'log', '--no-show-signature', `--max-count=${LATER_NAMED}`, '--format=%h %s'];
  const said = (await executeGit(top, [...asked, `${sha}..HEAD`, '--', path], options)).toString('utf8');
  return { path, later: said.split('\n').filter(Boolean) };
}

/**
 * Lists the paths that cannot be changed: submodules, paths whose changes git is told to ignore, and paths with content
 * that is neither HEAD's nor the intended one, in the work tree or the index. The intended content may be there already
 * if an earlier call was interrupted.
 */
async function listInTheWay(
  top: string,
  { head, tree, changes }: { head: string; tree: string; changes: readonly TreeChange[] },
  options: GitOptions,
): Promise<{ path: string; by: UndoObstacle }[]> {
  const found = new Map<string, UndoObstacle>();
  const own = new Set(changes.map(({ path }) => path));
  for (let at = 0; at < changes.length; at += PORTION) {
    const some = changes.slice(at, at + PORTION);
    const paths = some.map(({ path }) => path);
    const differences = await readDifferences(top, { head, tree, paths }, options);
    const { changed, touched } = differences;
    for (const change of some) {
      const isBlocked = change.after !== null && (await isBelowFile(top, change.path, own));
      const by = findHindrance(change, differences) ?? (isBlocked ? 'uncommitted' : null);
      if (by !== null && !(await isInPlace(top, change, differences, options))) found.set(change.path, by);
    }
    // If the undo replaces a directory by a file, other files in that directory would be lost.
    for (const path of touched) {
      if (!own.has(path)) found.set(listParents(path).findLast((above) => changed.has(above)) ?? path, 'uncommitted');
    }
  }
  return [...found].map(([path, by]) => ({ path, by }));
}

/** Returns whether an untracked file has the intended content, because an interrupted call has put it there. */
async function isInPlace(top: string, { path, after }: TreeChange, { untracked }: Differences, options: GitOptions) {
  if (after === null || !untracked.has(path)) return false;
  return (await readLine(top, ['hash-object', `--path=${path}`, '--', path], options)) === after.blob;
}

function findHindrance(
  { path, isSubmodule }: TreeChange,
  { touched, hidden, undone }: Differences,
): UndoObstacle | null {
  if (isSubmodule) return 'submodule';
  if (hidden.has(path)) return 'unseen';
  return touched.has(path) && !undone.has(path) ? 'uncommitted' : null;
}

/** The state of paths, including everything below them. */
interface Differences {
  /** Paths whose content in the work tree differs from HEAD. */
  changed: ReadonlySet<string>;
  /** Paths that differ from HEAD in the work tree or the index. */
  touched: ReadonlySet<string>;
  /** Untracked paths. */
  untracked: ReadonlySet<string>;
  /** Paths whose changes git is told to ignore. */
  hidden: ReadonlySet<string>;
  /** Paths that already have their intended content. */
  undone: ReadonlySet<string>;
}

async function readDifferences(
  top: string,
  { head, tree, paths }: { head: string; tree: string; paths: readonly string[] },
  options: GitOptions,
): Promise<Differences> {
  const list = async (...args: string[]) =>
    new Set(splitNames(await executeGit(top, ['--literal-pathspecs', ...args, '-z', '--', ...paths], options)));
  const names = ['--name-only', '--no-renames', '--no-ext-diff'];
  const [changed, staged, untracked, tagged, open, stagedOpen] = await Promise.all([
    list('diff', ...names, head),
    list('diff', '--cached', ...names, head),
    list('ls-files', '--others'),
    list('ls-files', '-v'),
    list('diff', ...names, tree),
    list('diff', '--cached', ...names, tree),
  ]);
  const hidden = new Set([...tagged].flatMap((line) => (UNSEEN.test(line) ? [line.slice(2)] : [])));
  const undone = paths.filter((path) => !open.has(path) && (!stagedOpen.has(path) || !staged.has(path)));
  const touched = new Set([...changed, ...staged, ...untracked]);
  return { changed, touched, untracked, hidden, undone: new Set(undone) };
}

/** Number of paths per git call, since the length of a command line is limited. */
const PORTION = 200;

/**
 * Matches a line of `git ls-files -v` for a path whose changes git ignores, because it is assumed unchanged or outside
 * the sparse checkout.
 */
const UNSEEN = /^[a-zS]/;

/** Returns whether a file stands where a path needs a parent directory, and this undo does not replace that file. */
async function isBelowFile(top: string, path: string, giving: ReadonlySet<string>): Promise<boolean> {
  const kinds = listParents(path).map(
    async (above) => !giving.has(above) && (await kindOf(join(top, above))) === 'other',
  );
  return (await Promise.all(kinds)).includes(true);
}

async function kindOf(path: string): Promise<'directory' | 'other' | 'missing'> {
  const facts = await lstat(path).catch(() => null);
  if (facts === null) return 'missing';
  return facts.isDirectory() ? 'directory' : 'other';
}

/** Returns whether a remote-tracking branch contains the commit. @throws DevCliError `GIT_FAILED`, `INTERRUPTED` */
export async function isPushed(top: string, sha: string, options: GitOptions): Promise<boolean> {
  return (await executeGit(top, ['branch', '--remotes', '--contains', sha, '--format=x'], options)).length > 0;
}

/** Lists the branches that contain a commit; empty if the commit is gone. @throws DevCliError `INTERRUPTED`, `IO` */
export async function listBranchesWith(top: string, sha: string, options: GitOptions): Promise<string[]> {
  const said = await executeGit(top, ['branch', '--all', '--contains', sha, '--format=%(refname:short)'], options);
  return said.toString('utf8').split('\n').filter(Boolean);
}
