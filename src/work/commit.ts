import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DevCliError, systemCode } from '../base/errors.js';
import { coveredBy, parents } from './covered.js';
import { type Baseline, NESTED, readBaseline } from './git.js';
import { findRepository, git, type Surroundings, withoutRedirection } from './git-command.js';
import { splitNames } from './status.js';

/**
 * Commits of a run's work (engine.md, commit): each carries a trailer and is looked for before it is made, so that it is
 * made once however often dev-cli was cut off.
 */

/** The trailer that names the run and the todo. */
const TRAILER = 'Dev-Cli-Task';

export interface CommitScope {
  /** `<runId>/<todo>`, or `<runId>/residual`. */
  key: string;
  /** The work tree when the work began; what has not changed since is nobody's work. */
  since: Baseline;
  /** The work tree when the run began: what was changed then is the user's and is left alone. */
  before: Baseline;
  /** Globs of what belongs to it, relative to the work tree; null: everything. */
  files: readonly string[] | null;
  /** Single paths that belong to it as well. */
  charged: readonly string[];
}

/** A path that belongs to a commit and is left alone all the same. */
export interface LeftPath {
  path: string;
  why: 'changed before the run' | 'a repository of its own' | 'its name is no UTF-8';
}

/** What there is to commit. */
export type CommitPlan =
  | { kind: 'found'; sha: string }
  | { kind: 'nothing'; why: string; left: LeftPath[] }
  | { kind: 'later'; why: string; left: LeftPath[] }
  | { kind: 'ready'; paths: string[]; left: LeftPath[] };

/**
 * Looks what a commit would hold, and whether it is already made. Changes nothing.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function planCommit(workTree: string, scope: CommitScope, around: Surroundings = {}): Promise<CommitPlan> {
  const place = await findRepository(workTree, around);
  if (place.kind !== 'repository') return { kind: 'nothing', why: 'no repository', left: [] };
  const sha = await findCommit(workTree, scope.key, scope.since.head, around);
  if (sha !== null) return { kind: 'found', sha };
  const now = await readBaseline(workTree, around);
  if (now === null) return { kind: 'nothing', why: 'no repository', left: [] };
  const belongs = belongsTo(scope);
  const changed = Object.keys(now.dirty)
    .filter((path) => now.dirty[path] !== scope.since.dirty[path] || !Object.hasOwn(scope.since.dirty, path))
    .filter(belongs);
  const left = await leftAlone(workTree, changed, { now, before: scope.before }, around);
  const apart = new Set(left.map(({ path }) => path));
  const paths = changed.filter((path) => !apart.has(path));
  if (paths.length === 0) return { kind: 'nothing', why: 'nothing to commit', left };
  const hindrance = await hindranceIn(workTree, around);
  return hindrance === null ? { kind: 'ready', paths, left } : { kind: 'later', why: hindrance, left };
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
  around: Surroundings = {},
): Promise<string | null> {
  const head = await headOf(workTree, around);
  if (head === null || head === since) return null;
  const range = since !== null && (await isAncestor(workTree, since, head, around)) ? `${since}..${head}` : head;
  const line = `${TRAILER}: ${key}`;
  const only = ['--fixed-strings', `--grep=${line}`, '-z', '--format=%H%n%B'];
  const commits = (await git(workTree, ['log', '--no-show-signature', ...only, range], around))
    .toString('utf8')
    .split('\0');
  // A whole line anywhere in the message: behind hooks that add to it, git takes ours for no trailer any more.
  const found = commits.map((commit) => commit.split('\n')).find((lines) => lines.some((each) => each.trim() === line));
  return found?.[0] ?? null;
}

/**
 * The command that makes the commit, for the detached runner: hooks run and may take their time. It reads what to commit
 * from the two files, so that no path can be taken for an option or a pattern.
 */
export function commitCommand(messageFile: string, pathsFile: string): string[] {
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

/** The message with its trailer, and the paths as commitCommand reads them. */
export function commitFiles(
  message: string,
  key: string,
  paths: readonly string[],
): { message: string; paths: string } {
  return { message: `${message.trim()}\n\n${TRAILER}: ${key}\n`, paths: paths.map((path) => `${path}\0`).join('') };
}

/**
 * Makes new files known to git, without which `commit --only` does not take them. Done again, it changes nothing.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function announceNew(
  workTree: string,
  paths: readonly string[],
  around: Surroundings = {},
): Promise<void> {
  const there = await existing(workTree, paths);
  for (const some of inPortions(there)) {
    await git(workTree, ['--literal-pathspecs', 'add', '--intent-to-add', '--', ...some], around);
  }
}

/**
 * Takes back announceNew for what was not committed: the user's index is as it was.
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function withdrawNew(
  workTree: string,
  paths: readonly string[],
  around: Surroundings = {},
): Promise<void> {
  const announced = await git(
    workTree,
    ['diff', '--name-only', '--no-renames', '--diff-filter=A', '--relative', '-z'],
    around,
  );
  const ours = new Set(paths);
  const back = splitNames(announced).filter((path) => ours.has(path));
  for (const some of inPortions(back)) {
    await git(workTree, ['--literal-pathspecs', 'rm', '--cached', '--quiet', '--', ...some], around);
  }
}

/**
 * Brings the index in line with a commit that was made: where a hook changes what it commits, git leaves in the index what
 * was there before the hook, as if that were staged. Done again, it changes nothing.
 * @param before the work tree when the run began: what was changed then is the user's, and its index is left alone
 * @throws DevCliError `GIT_FAILED`, `INTERRUPTED`
 */
export async function settleIndex(
  workTree: string,
  commit: string,
  before: Baseline,
  around: Surroundings = {},
): Promise<void> {
  const listed = ['--name-only', '--no-renames', '--relative', '-z'];
  const staged = splitNames(await git(workTree, ['diff', '--cached', ...listed], around));
  if (staged.length === 0) return;
  const held = splitNames(
    await git(workTree, ['diff-tree', '-r', '--no-commit-id', '--root', ...listed, commit], around),
  );
  const ours = new Set(held.filter((path) => !Object.hasOwn(before.dirty, path)));
  for (const some of inPortions(staged.filter((path) => ours.has(path)))) {
    await git(workTree, ['--literal-pathspecs', 'reset', '--quiet', 'HEAD', '--', ...some], around);
  }
}

/**
 * Whether there was nothing that the command could commit, as with a file that was staged and is gone again. To be asked
 * after it failed, before withdrawNew; no hook is run.
 * @throws DevCliError `INTERRUPTED`
 */
export async function isEmptyCommit(
  workTree: string,
  messageFile: string,
  pathsFile: string,
  around: Surroundings = {},
): Promise<boolean> {
  const [, ...args] = commitCommand(messageFile, pathsFile);
  return (await answered(git(workTree, [...args, '--dry-run'], around))) === null;
}

/**
 * The environment of the command: of the repository that was asked, whatever the caller's variables point at; and English,
 * so that its complaints are known again.
 */
export function commitEnvironment(inherited: NonNullable<Surroundings['env']>): NonNullable<Surroundings['env']> {
  return { ...withoutRedirection(inherited), LANGUAGE: 'en' };
}

/** Whether git's complaint means that it could not write just now, rather than that it refused the commit. */
export function isHindrance(output: string): boolean {
  const unwritable = /index\.lock|read-only file system|permission denied|insufficient permission|no space left/i;
  // A file that was there when the commit was planned has gone since.
  return unwritable.test(output) || /did not match any file\(s\) known to git/.test(output);
}

/** Git's exit status when it is not the commit that it refuses: no identity, a key that cannot sign, a broken repository. */
export const GIT_CANNOT = 128;

/** The paths that are not committed though they belong to it, and why. */
async function leftAlone(
  workTree: string,
  changed: readonly string[],
  { now, before }: { now: Baseline; before: Baseline },
  around: Surroundings,
): Promise<LeftPath[]> {
  const users = new Set(Object.keys(before.dirty).flatMap((path) => [path, ...parents(path)]));
  const isUsers = (path: string) => users.has(path) || parents(path).some((one) => Object.hasOwn(before.dirty, one));
  const nested = changed.filter((path) => now.dirty[path]?.startsWith(NESTED));
  const moved = nested.length === 0 ? [] : await movedSubmodules(workTree, nested, around);
  const left = await Promise.all(
    changed.map(async (path): Promise<LeftPath[]> => {
      if (isUsers(path)) return [{ path, why: 'changed before the run' }];
      if (nested.includes(path) && !moved.includes(path)) return [{ path, why: 'a repository of its own' }];
      if (ESCAPED.test(path) && !(await isThere(join(workTree, path)))) return [{ path, why: 'its name is no UTF-8' }];
      return [];
    }),
  );
  return left.flat();
}

/** As nameOf writes bytes that are no UTF-8. */
const ESCAPED = /\\x[89a-f][0-9a-f]/;

/** Of repositories inside, those that the one around them knows and that stand at another commit than it says. */
async function movedSubmodules(workTree: string, nested: readonly string[], around: Surroundings): Promise<string[]> {
  const asked = ['diff', '--name-only', '--relative', '-z', '--ignore-submodules=dirty', 'HEAD', '--', ...nested];
  const answer = await answered(git(workTree, ['--literal-pathspecs', ...asked], around));
  return answer === null ? [] : splitNames(answer);
}

function belongsTo({ files, charged }: CommitScope): (path: string) => boolean {
  return files === null ? () => true : coveredBy(files, charged);
}

const UNDER_WAY: Record<string, string> = {
  MERGE_HEAD: 'a merge is in progress',
  'rebase-merge': 'a rebase is in progress',
  'rebase-apply': 'a rebase is in progress',
  CHERRY_PICK_HEAD: 'a cherry-pick is in progress',
  REVERT_HEAD: 'a revert is in progress',
};

/** Why no commit can be made now, or null. */
async function hindranceIn(workTree: string, around: Surroundings): Promise<string | null> {
  const asked = [...Object.keys(UNDER_WAY), 'index.lock'].flatMap((name) => ['--git-path', name]);
  const answer = await git(workTree, ['rev-parse', '--absolute-git-dir', ...asked], around);
  const [directory = '', ...places] = answer.toString('utf8').split('\n');
  for (const [index, why] of Object.values(UNDER_WAY).entries()) {
    if (await reachable(resolve(workTree, places[index] ?? ''), constants.F_OK)) return why;
  }
  const lock = places[Object.keys(UNDER_WAY).length] ?? 'index.lock';
  if (await reachable(resolve(workTree, lock), constants.F_OK)) return 'another git process holds the index';
  return (await reachable(directory, constants.W_OK)) ? null : 'the git directory cannot be written';
}

async function reachable(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

async function existing(workTree: string, paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(paths.map((path) => isThere(join(workTree, path))));
  return paths.filter((_, index) => there[index]);
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR',
  );
}

/** Command lines have a length. */
function inPortions(paths: readonly string[]): string[][] {
  const size = 200;
  return Array.from({ length: Math.ceil(paths.length / size) }, (_, at) => paths.slice(at * size, (at + 1) * size));
}

/** The commit checked out; null before the first one. @throws DevCliError `INTERRUPTED` */
export async function headOf(workTree: string, around: Surroundings = {}): Promise<string | null> {
  const answer = await answered(git(workTree, ['rev-parse', '--verify', '--quiet', 'HEAD'], around));
  return answer === null ? null : answer.toString('utf8').trim();
}

async function isAncestor(workTree: string, from: string, to: string, around: Surroundings): Promise<boolean> {
  return (await answered(git(workTree, ['merge-base', '--is-ancestor', from, to], around))) !== null;
}

/** For questions that git answers "no" by failing. */
async function answered(asked: Promise<Buffer>): Promise<Buffer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'GIT_FAILED') return null;
    throw error;
  }
}
