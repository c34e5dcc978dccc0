import { constants } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { findReserved } from '../base/reserved.js';
import type { Baseline, WorkTreeStatus } from './baseline.js';
import { type HeadRule, isReachable } from './commit-head.js';
import { mayExist } from './commit-index.js';
import { isDevPath, NESTED_MARK } from './git.js';
import { executeGit, type GitOptions, nullIfRefused } from './git-command.js';
import {
  createGlobTest,
  createPathTest,
  createUserChangeTest,
  ESCAPED_NAME,
  listChangedPaths,
  listParents,
} from './paths.js';
import { splitNames } from './status.js';

/** Decides which changed paths go into a commit, and which are left out and why (engine.md, Commits). */

/** Which changes a run's commit may contain, and on which HEAD it may be made. */
export interface CommitScope {
  /** The value of the commit's trailer: `<runId>/<todo>`, or `<runId>/residual`. */
  key: string;
  /** The work tree when the todo or other work to be committed began: only later changes can be committed. */
  since: Baseline;
  /** The work tree when the run began: changes that existed then are the user's and are left alone. */
  before: Baseline;
  /** Globs of the paths that belong to the work, relative to the work tree; null for everything. */
  files: readonly string[] | null;
  /** Individual paths, not globs, that also belong to the work. */
  charged: readonly string[];
  /** The paths that agents list in their results; if missing, every changed path that belongs to the work is listed. */
  listed?: Listed;
  /** Conditions on HEAD; if missing, the commit is made on any HEAD. */
  head?: HeadRule;
}

/** Paths that results name, relative to the work tree. A directory stands for everything below it. */
interface Listed {
  filesChanged: readonly string[];
  /** Paths that the worker attributes to somebody else. */
  notMine: readonly string[];
}

/** A path that belongs to the work or is listed by a result, but is not committed. */
export interface LeftPath {
  path: string;
  why:
    | 'changed before the run'
    | 'a repository of its own'
    | 'a submodule: what changed in it is committed there'
    | 'its name is not UTF-8'
    | 'no result lists it'
    | 'not for a plan to change'
    | 'listed, but outside the files of the todo'
    | 'listed, but outside the work tree'
    | 'listed, but git ignores it'
    | 'listed, but nothing is there';
}

/**
 * Divides the changes since the work began into those to commit and those to leave uncommitted.
 * @param workTree absolute path
 * @throws DevCliError `INTERRUPTED`
 */
export async function selectPaths(
  workTree: string,
  now: WorkTreeStatus,
  scope: CommitScope,
  options: GitOptions,
): Promise<{ paths: string[]; left: LeftPath[] }> {
  const { before, listed, files, charged } = scope;
  const isNested = (path: string) => now.dirty[path]?.startsWith(NESTED_MARK) === true;
  const isInside = files === null ? () => true : createGlobTest(files, charged);
  // A nested repository also belongs to the work if a glob or path of the work leads into it.
  const leadsInto = createLeadTest([...(files ?? []), ...charged]);
  const changed = listChangedPaths(now, scope.since).filter(
    (path) => isInside(path) || (isNested(path) && leadsInto(path)),
  );
  const isUsers = createUserChangeTest(before);
  const isListed = createListedTest(listed, isNested);
  const isNotMine = createPathTest(listed?.notMine ?? []);
  const nested = changed.filter(isNested);
  const moved = nested.length === 0 ? [] : await listMovedSubmodules(workTree, nested, options);
  const paths: string[] = [];
  const left = await nameRepositories(
    workTree,
    nested.filter((path) => !moved.includes(path)),
    options,
  );
  for (const path of changed) {
    if (isNested(path) && !moved.includes(path)) continue;
    if (isUsers(path)) left.push({ path, why: 'changed before the run' });
    else if (ESCAPED_NAME.test(path) && !(await mayExist(join(workTree, path))))
      left.push({ path, why: 'its name is not UTF-8' });
    else if (findReserved(path) !== null) left.push({ path, why: 'not for a plan to change' });
    else if (isListed(path)) paths.push(path);
    // Paths that the worker attributes to somebody else need not be reported.
    else if (!isNotMine(path)) left.push({ path, why: 'no result lists it' });
  }
  return { paths, left };
}

/** Creates a test for whether a result lists a path or, for a nested repository, something inside it. */
function createListedTest(listed: Listed | undefined, isNested: (path: string) => boolean): (path: string) => boolean {
  if (listed === undefined) return () => true;
  const isNamed = createPathTest(listed.filesChanged);
  const leadsInto = createLeadTest(listed.filesChanged);
  return (path) => isNamed(path) || (isNested(path) && leadsInto(path));
}

/** Creates a test for whether one of these paths or globs points below a given path. */
function createLeadTest(named: readonly string[]): (path: string) => boolean {
  return (path) => named.some((one) => one.startsWith(`${path}/`));
}

/**
 * Returns each nested repository with the reason why it is not committed: it is a submodule, whose changes must be
 * committed inside it, or it is some other repository.
 */
async function nameRepositories(
  workTree: string,
  repositories: readonly string[],
  options: GitOptions,
): Promise<LeftPath[]> {
  if (repositories.length === 0) return [];
  const asked = executeGit(workTree, ['--literal-pathspecs', 'ls-files', '-z', '--', ...repositories], options);
  const submodules = new Set(splitNames((await nullIfRefused(asked)) ?? Buffer.alloc(0)));
  return repositories.map((path) => ({
    path,
    why: submodules.has(path) ? 'a submodule: what changed in it is committed there' : 'a repository of its own',
  }));
}

/** Finds the outermost nested repository that contains a path or is that path; null if there is none. */
async function findRepositoryAround(workTree: string, path: string): Promise<string | null> {
  for (const one of [...listParents(path), path]) {
    if (await isReachable(join(workTree, one, '.git'), constants.F_OK)) return one;
  }
  return null;
}

/**
 * Removes paths that another path covers, since git refuses both in one commit. If a directory replaced a file, the
 * directory's new files cover it; if a file or link replaced a directory, that file or link covers the old files.
 * @param workTree absolute path
 */
export async function leaveOutReplaced(workTree: string, paths: readonly string[]): Promise<string[]> {
  const own = new Set(paths);
  const above = new Set(paths.flatMap(listParents).filter((parent) => own.has(parent)));
  const isDirectory = async (path: string) =>
    (await lstat(join(workTree, path)).catch(() => null))?.isDirectory() === true;
  const kinds = await Promise.all([...above].map(async (path) => [path, await isDirectory(path)] as const));
  const directories = new Set(kinds.flatMap(([path, is]) => (is ? [path] : [])));
  const isReplaced = (path: string) =>
    directories.has(path) || listParents(path).some((parent) => above.has(parent) && !directories.has(parent));
  return paths.filter((path) => !isReplaced(path));
}

/** Maximum number of listed paths that are looked up; only a few of them are shown. */
const LOOKED_UP = 200;

/**
 * Lists paths that results name but that are not committed: ignored, missing, outside, in a nested repository, the
 * user's, or not in the todo's files (engine.md, Commits).
 * @param workTree absolute path
 * @param settled paths that are committed, or already known not to be
 * @throws DevCliError `INTERRUPTED`
 */
export async function listLeftPaths(
  workTree: string,
  now: WorkTreeStatus,
  scope: CommitScope,
  settled: readonly string[],
  options: GitOptions,
): Promise<LeftPath[]> {
  const held = new Set(['.', ...settled.flatMap((path) => [path, ...listParents(path)])]);
  const below = createPathTest(settled);
  const open = (scope.listed?.filesChanged ?? []).filter((path) => !held.has(path) && !below(path) && !isDevPath(path));
  if (open.length === 0) return [];
  const isUsers = createUserChangeTest(scope.before);
  const changed = new Set(listChangedPaths(now, scope.since).flatMap((path) => [path, ...listParents(path)]));
  const left: LeftPath[] = [];
  const unknown: string[] = [];
  const repositories = new Set<string>();
  for (const path of open.slice(0, LOOKED_UP)) {
    if (isAbsolute(path) || path === '..' || path.startsWith('../')) {
      left.push({ path, why: 'listed, but outside the work tree' });
      continue;
    }
    if (path.includes('\0')) continue;
    const around = await findRepositoryAround(workTree, path);
    if (around !== null) repositories.add(around);
    else if (isUsers(path)) left.push({ path, why: 'changed before the run' });
    else if (changed.has(path)) left.push({ path, why: 'listed, but outside the files of the todo' });
    else unknown.push(path);
  }
  const named = await nameRepositories(workTree, [...repositories], options);
  return [...left, ...named, ...(await listUnheld(workTree, unknown, options))];
}

/**
 * Given paths that have not changed, returns those that git does not track, each with the reason why it is not
 * committed.
 */
async function listUnheld(workTree: string, paths: readonly string[], options: GitOptions): Promise<LeftPath[]> {
  if (paths.length === 0) return [];
  const ask = async (...flags: string[]) => {
    const answer = await nullIfRefused(
      executeGit(workTree, ['--literal-pathspecs', 'ls-files', '-z', ...flags, '--', ...paths], options),
    );
    // Git prints an ignored directory with a trailing slash.
    return answer === null ? null : splitNames(answer).map((path) => path.replace(/\/$/, ''));
  };
  const tracked = await ask('--cached');
  const ignored = await ask('--others', '--ignored', '--exclude-standard', '--directory');
  if (tracked === null || ignored === null) return [];
  const isTracked = createRelatedTest(tracked);
  const isIgnored = createRelatedTest(ignored);
  return paths
    .filter((path) => !isTracked(path))
    .map((path) => ({ path, why: isIgnored(path) ? 'listed, but git ignores it' : 'listed, but nothing is there' }));
}

/** Creates a test for whether a path is one of these, or is above or below one of them. */
function createRelatedTest(paths: readonly string[]): (path: string) => boolean {
  const above = new Set(paths.flatMap((path) => [path, ...listParents(path)]));
  const below = createPathTest(paths);
  return (path) => above.has(path) || below(path);
}

/** Returns those nested repositories that are submodules whose checked-out commit is not the recorded one. */
async function listMovedSubmodules(
  workTree: string,
  nested: readonly string[],
  options: GitOptions,
): Promise<string[]> {
  const asked = ['diff', '--name-only', '--relative', '-z', '--ignore-submodules=dirty', 'HEAD', '--', ...nested];
  const answer = await nullIfRefused(executeGit(workTree, ['--literal-pathspecs', ...asked], options));
  return answer === null ? [] : splitNames(answer);
}
