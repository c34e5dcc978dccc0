import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { sha256 } from '../base/sha256.js';
import { type Baseline, toBaseline, type WorkTreeStatus } from './baseline.js';
import { digestContent, isDirectory } from './digest.js';
import {
  executeGit,
  type GitOptions,
  type GitQuery,
  lookUpRepository,
  queryGit,
  type RepositoryLookup,
  runGitQuery,
} from './git-command.js';
import { decodeName, parseStatus, splitNames } from './status.js';

/** Read-only questions to git. Nothing here changes a repository, not even its index. */

/** The state of a whole repository: the commit checked out, and the paths that differ from it, sorted. */
interface Tree {
  head: string | null;
  branch: string | null;
  dirty: [path: string, digest: string | null][];
  staged: string[];
  ahead?: number;
}

/** Prefix of the digest of a nested repository. */
export const NESTED_MARK = 'tree:';

/** A work tree at one moment, read once for both committing and running commands. */
export interface WorkTreeReading {
  /** The part of the repository below the work tree, with paths relative to it. */
  present: WorkTreeStatus;
  /** The whole repository. */
  state: TreeState;
  /** Path from the top of the repository to the work tree, ending in `/`, or empty. */
  prefix: string;
}

/** Reads a work tree; null if there is no git or no repository. @throws DevCliError as `readPresent` */
export async function readWorkTree(workTree: string, options: GitOptions = {}): Promise<WorkTreeReading | null> {
  const place = await runGitQuery(lookAtRepository(workTree), options);
  if (place === null) return null;
  return { present: cutOut(place), state: toTreeState(place.tree), prefix: decodeName(place.prefix) };
}

/**
 * Reads the current state of the work tree (storage.md, state.json; harness.md, The second net). If the work tree is
 * only a part of its repository, reads only that part.
 * @param workTree absolute path
 * @returns null if there is no git or no repository
 * @throws DevCliError `GIT_FAILED`, `IO` (the work tree is gone), `INTERRUPTED`
 */
export function readPresent(workTree: string, options: GitOptions = {}): Promise<WorkTreeStatus | null> {
  return runGitQuery(lookAtPresent(workTree), options);
}

/** Asks git the questions of `readPresent`. @throws DevCliError as `readPresent` */
export function* lookAtPresent(workTree: string): GitQuery<WorkTreeStatus | null> {
  const place = yield* lookAtRepository(workTree);
  return place === null ? null : cutOut(place);
}

/** The difference between a work tree and a baseline. */
export interface WorkTreeChanges {
  /** Paths outside `.dev/`, relative to the work tree and sorted. */
  paths: string[];
  now: Baseline;
}

/**
 * Asks git for the paths that differ from the baseline, on disk or through commits made since, for `readChangesNow`
 * (present.ts). Leaves out a path that was dirty before and still has the same content, committed or not.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED` (also if the repository or the baseline's commit is gone), `IO`, `INTERRUPTED`
 */
export function* lookAtChanges(workTree: string, baseline: Baseline): GitQuery<WorkTreeChanges> {
  const now = yield* lookAtPresent(workTree);
  if (now === null) {
    const { kind } = yield* lookUpRepository(workTree);
    throw new DevCliError('GIT_FAILED', 'The repository in which this run began can no longer be found.', {
      details: [{ target: workTree, problem: kind === 'no-git' ? 'git is not on the PATH' : 'not a repository' }],
    });
  }
  const changed = new Set<string>();
  const committed = yield* lookAtCommitted(workTree, baseline.head, now.head);
  for (const path of [...Object.keys(now.dirty), ...committed]) {
    if (!Object.hasOwn(baseline.dirty, path)) changed.add(path);
  }
  for (const [path, before] of Object.entries(baseline.dirty)) {
    const isNested = before?.startsWith(NESTED_MARK) ?? false;
    const after = Object.hasOwn(now.dirty, path)
      ? now.dirty[path]
      : yield* lookAtPath(Buffer.from(`${workTree}/${path}`), isNested);
    if (after !== before) changed.add(path);
  }
  return { paths: [...changed].sort(), now: toBaseline(now) };
}

/** The state of the repository in which a command runs. */
export interface TreeState {
  /** The commit checked out; null before the first one. */
  head: string | null;
  /** Digest of the commit checked out and of all changed or untracked content, except ignored files. */
  digest: string;
}

/**
 * Computes the state of the whole repository, except for the work tree's `.dev/` (protocol.md §4).
 * @param workTree absolute path
 * @returns null if there is no git or no repository
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function computeTreeState(workTree: string, options: GitOptions = {}): Promise<TreeState | null> {
  return (await readWorkTree(workTree, options))?.state ?? null;
}

function toTreeState(tree: Tree): TreeState {
  return { head: tree.head, digest: digestTree(tree) };
}

/** A repository, and the path from its top down to the work tree. */
interface Place {
  tree: Tree;
  prefix: Buffer;
}

function cutOut({ tree: { head, branch, dirty, staged: all, ahead }, prefix }: Place): WorkTreeStatus {
  const down = decodeName(prefix);
  const below = dirty.filter(([path]) => path.startsWith(down));
  const staged = all.flatMap((path) => (path.startsWith(down) ? [path.slice(down.length)] : []));
  return {
    head,
    branch,
    dirty: Object.fromEntries(below.map(([path, digest]) => [path.slice(down.length), digest])),
    ...(staged.length === 0 ? {} : { staged }),
    ...omitUndefined({ ahead }),
  };
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all', '--ignored=no'];
const SCOPE = ['--ignore-submodules=none', '--', ':/', ':(exclude).dev', ':(exclude).ai/handoffs'];

/** Reads a directory's repository, with one question if the directory is its top. Null without git or repository. */
function* lookAtRepository(directory: string): GitQuery<Place | null> {
  const ceiling = findCeiling(directory);
  if (ceiling !== null) {
    const answer = yield { directory, args: [...STATUS, ...SCOPE], ceiling };
    if (answer !== 'no-git' && answer.exit === 0) {
      return { tree: yield* lookAtListed(directory, '', answer.stdout), prefix: Buffer.alloc(0) };
    }
  }
  const place = yield* lookUpRepository(directory);
  if (place.kind !== 'repository') return null;
  return { tree: yield* lookAtTree(directory, place.top), prefix: place.prefix };
}

/** @param top path from `directory` to the top of its repository: `../…` or empty */
function* lookAtTree(directory: string, top: string): GitQuery<Tree> {
  return yield* lookAtListed(directory, top, yield* queryGit(directory, [...STATUS, ...SCOPE]));
}

/** @param status the output of `git status` */
function* lookAtListed(directory: string, top: string, status: Buffer): GitQuery<Tree> {
  const { entries, ...place } = parseStatus(status);
  const dirty: Tree['dirty'] = [];
  const start = Buffer.from(`${directory}/${top}`);
  for (const { path, nested } of entries) {
    dirty.push([decodeName(path), yield* lookAtPath(Buffer.concat([start, path]), nested)]);
  }
  const staged = entries.flatMap((entry) => (entry.staged ? [decodeName(entry.path)] : []));
  return { ...place, dirty: dirty.sort(([a], [b]) => (a < b ? -1 : 1)), staged };
}

/** Lists the paths below the work tree that differ between two commits, without those that dev-cli writes. */
function* lookAtCommitted(workTree: string, from: string | null, to: string | null): GitQuery<string[]> {
  if (to === null || from === to) return [];
  const listing = ['-r', '-z', '--name-only'];
  const args =
    from === null
      ? ['ls-tree', ...listing, to]
      : ['diff-tree', ...listing, '--no-renames', '--relative', '--ignore-submodules=none', from, to];
  return splitNames(yield* queryGit(workTree, args)).filter((path) => !isDevPath(path));
}

/** Files of the neutral contract that tools write and git tracks, relative to the work tree. */
const SHARED = ['.nexus/history.json', '.nexus/.gitignore'];

/**
 * Returns whether a path, relative to the work tree, belongs to dev-cli or is in `SHARED`, so that a difference in it
 * is not a change by the agent or the user.
 */
export function isDevPath(path: string): boolean {
  return path === '.dev' || ['.dev/', '.ai/handoffs/'].some((own) => path.startsWith(own)) || SHARED.includes(path);
}

function* lookAtPath(path: Buffer, nested: boolean): GitQuery<string | null> {
  yield null;
  if (!nested || !isDirectory(path)) return digestContent(path);
  const directory = path.toString('utf8');
  const place = yield* lookUpNested(directory);
  // In a submodule that is not checked out, git finds the outer repository: there is no nested one to read.
  if (place.kind !== 'repository' || place.prefix.length > 0) return `${NESTED_MARK}none`;
  return NESTED_MARK + digestTree(yield* lookAtTree(directory, ''));
}

/** Looks up a nested repository. A broken one counts as none, so that dev-cli can still read the outer repository. */
function* lookUpNested(directory: string): GitQuery<RepositoryLookup> {
  try {
    return yield* lookUpRepository(directory);
  } catch (error) {
    // `IO` occurs if the directory's name is not UTF-8, so that Node cannot use it as the current directory.
    if (error instanceof DevCliError && ['GIT_FAILED', 'IO'].includes(error.code)) return { kind: 'no-repository' };
    throw error;
  }
}

function digestTree(tree: Tree): string {
  return sha256(JSON.stringify([tree.head, tree.dirty]));
}

/**
 * Returns git's message if it would refuse a commit because the name or email address is missing; null if both are set.
 * @param workTree absolute path in a repository
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findIdentityProblem(workTree: string, options: GitOptions = {}): Promise<string | null> {
  const asked = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((one) => findRefusal(workTree, one, options));
  return (await Promise.all(asked)).find((said) => said !== null) ?? null;
}

async function findRefusal(workTree: string, variable: string, options: GitOptions): Promise<string | null> {
  try {
    await executeGit(workTree, ['var', variable], options);
    return null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return error.details[0]?.problem ?? error.message;
  }
}

/**
 * Checks, without starting a process, whether a directory seems to be the top of a repository. If git then succeeds
 * with `GIT_CEILING_DIRECTORIES` set to the returned parent, it is the top, since git looks no further up.
 * @param directory absolute path
 * @returns the parent directory; null if git has to be asked, as in a linked work tree or a part of a repository
 */
function findCeiling(directory: string): string | null {
  try {
    const config = readFileSync(join(directory, '.git', 'config'), 'latin1');
    // `core.worktree`, or a separate file for such settings, may put the top elsewhere.
    if (/worktree/i.test(config)) return null;
    const real = realpathSync(directory);
    const above = dirname(real);
    return above === real || above.includes(delimiter) ? null : above;
  } catch {
    // Git itself reports more precisely what is wrong here.
    return null;
  }
}
