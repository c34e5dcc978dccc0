import { promises } from 'node:fs';
import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { sha256 } from '../base/sha256.js';
import { digestContent } from './digest.js';
import { findRepository, type GitOptions, git, type RepositoryLookup } from './git-command.js';
import { decodeName, parseStatus, splitNames } from './status.js';

/** What dev-cli asks git. Nothing here changes a repository, not even its index. */

/** The work tree as it stood at one moment (storage.md, state.json). */
export interface Baseline {
  /** The commit checked out; null before the first one. */
  head: string | null;
  /**
   * Every path, relative to the work tree, that git saw as changed or untracked outside `.dev/`, with its content digest
   * (digest.ts; `tree:` and a digest for a repository inside the repository), null where it was deleted.
   */
  dirty: Record<string, string | null>;
}

/** The work tree as it stands now. */
export interface WorkTreeStatus extends Baseline {
  /** The branch checked out; null where HEAD is detached. */
  branch: string | null;
}

/** A whole repository: what is checked out, and what differs from it, sorted by path from its top. */
interface Tree {
  head: string | null;
  branch: string | null;
  dirty: [path: string, digest: string | null][];
}

const DIGESTS_AT_ONCE = 16;
/** In front of the digest of a repository inside the repository. */
export const NESTED_MARK = 'tree:';

/**
 * The work tree as it stands now, or null where there is no git or no repository (storage.md, state.json; harness.md, The second net).
 * Of a work tree that is a part of a repository, only that part.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO` (the work tree is gone), `INTERRUPTED`
 */
export async function readBaseline(workTree: string, around: GitOptions = {}): Promise<Baseline | null> {
  const present = await readPresent(workTree, around);
  return present === null ? null : toBaseline(present);
}

/** The same with the branch. Throws as `readBaseline`. */
export async function readPresent(workTree: string, around: GitOptions = {}): Promise<WorkTreeStatus | null> {
  const place = await findRepository(workTree, around);
  return place.kind === 'repository' ? readPart(workTree, place, around) : null;
}

/** What of it later states are compared with: a branch may be renamed or left, the work tree is the same. */
export function toBaseline({ head, dirty }: WorkTreeStatus): Baseline {
  return { head, dirty };
}

/**
 * The paths outside `.dev/`, relative to the work tree and sorted, whose state is not that of the baseline: changed,
 * made or deleted on disk, or touched by commits made since. What was dirty before and still has the same content,
 * committed meanwhile or not, does not count.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED` (also when the repository or the baseline's commit is gone), `IO`, `INTERRUPTED`
 */
export async function listChangedSince(
  workTree: string,
  baseline: Baseline,
  around: GitOptions = {},
): Promise<string[]> {
  const place = await findRepository(workTree, around);
  if (place.kind !== 'repository') {
    throw new DevCliError('GIT_FAILED', 'The repository that this run started in cannot be found any more.', {
      details: [{ target: workTree, problem: place.kind === 'no-git' ? 'git is not on the PATH' : 'not a repository' }],
    });
  }
  const now = await readPart(workTree, place, around);
  const changed = new Set<string>();
  for (const path of [
    ...Object.keys(now.dirty),
    ...(await listCommittedPaths(workTree, baseline.head, now.head, around)),
  ]) {
    if (!Object.hasOwn(baseline.dirty, path)) changed.add(path);
  }
  for (const [path, before] of Object.entries(baseline.dirty)) {
    const after = Object.hasOwn(now.dirty, path)
      ? now.dirty[path]
      : await digestPath(Buffer.from(`${workTree}/${path}`), before?.startsWith(NESTED_MARK) ?? false, around);
    if (after !== before) changed.add(path);
  }
  return [...changed].sort();
}

/** What a command ran on. */
export interface TreeState {
  /** The commit checked out; null before the first one. */
  head: string | null;
  /** One digest of the commit checked out and every changed or untracked content; ignored files are not seen. */
  digest: string;
}

/**
 * The state of the repository outside the work tree's `.dev/`, as far as a command could find it different. Null where
 * there is no git or no repository (protocol.md §4).
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function computeTreeState(workTree: string, around: GitOptions = {}): Promise<TreeState | null> {
  const place = await findRepository(workTree, around);
  if (place.kind !== 'repository') return null;
  const tree = await readTree(workTree, place.top, around);
  return { head: tree.head, digest: digestTree(tree) };
}

/**
 * Whether the repository has any remote; false where there is no git or no repository.
 * @param workTree absolute path
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function hasRemote(workTree: string, around: GitOptions = {}): Promise<boolean> {
  if ((await findRepository(workTree, around)).kind !== 'repository') return false;
  return (await git(workTree, ['remote'], around)).length > 0;
}

/** The part of the repository below the work tree, with paths from there. */
async function readPart(
  workTree: string,
  place: Extract<RepositoryLookup, { kind: 'repository' }>,
  around: GitOptions,
): Promise<WorkTreeStatus> {
  const { head, branch, dirty } = await readTree(workTree, place.top, around);
  const prefix = decodeName(place.prefix);
  const below = dirty.filter(([path]) => path.startsWith(prefix));
  return {
    head,
    branch,
    dirty: Object.fromEntries(below.map(([path, digest]) => [path.slice(prefix.length), digest])),
  };
}

/** @param top the way from `directory` up to the top of its repository, `../…` or empty */
async function readTree(directory: string, top: string, around: GitOptions): Promise<Tree> {
  const options = ['--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all', '--ignored=no'];
  const scope = ['--ignore-submodules=none', '--', ':/', ':(exclude).dev'];
  const { head, branch, entries } = parseStatus(await git(directory, ['status', ...options, ...scope], around));
  const dirty: Tree['dirty'] = [];
  // One iterator shared by all workers: each takes the next entry when it is done with one.
  const queue = entries.values();
  const start = Buffer.from(`${directory}/${top}`);
  const worker = async () => {
    for (const { path, nested } of queue) {
      dirty.push([decodeName(path), await digestPath(Buffer.concat([start, path]), nested, around)]);
    }
  };
  await Promise.all(Array.from({ length: DIGESTS_AT_ONCE }, worker));
  return { head, branch, dirty: dirty.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

/** Paths that differ between two commits, below the work tree and outside `.dev/`. */
async function listCommittedPaths(workTree: string, from: string | null, to: string | null, around: GitOptions) {
  if (to === null || from === to) return [];
  const listing = ['-r', '-z', '--name-only'];
  const args =
    from === null
      ? ['ls-tree', ...listing, to]
      : ['diff-tree', ...listing, '--no-renames', '--relative', '--ignore-submodules=none', from, to];
  const paths = splitNames(await git(workTree, args, around));
  return paths.filter((path) => path !== '.dev' && !path.startsWith('.dev/'));
}

async function digestPath(path: Buffer, nested: boolean, around: GitOptions): Promise<string | null> {
  if (around.signal?.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
  if (!nested || !(await isDirectory(path))) return digestContent(path);
  const directory = path.toString('utf8');
  const place = await findNested(directory, around);
  // From a submodule that is not checked out, git finds the repository around it.
  if (place.kind !== 'repository' || place.prefix.length > 0) return `${NESTED_MARK}none`;
  return NESTED_MARK + digestTree(await readTree(directory, '', around));
}

/** A repository inside that git cannot use must not keep dev-cli from judging the one around it. */
async function findNested(directory: string, around: GitOptions): Promise<RepositoryLookup> {
  try {
    return await findRepository(directory, around);
  } catch (error) {
    // IO: its name is not UTF-8, and node cannot go there.
    if (error instanceof DevCliError && ['GIT_FAILED', 'IO'].includes(error.code)) return { kind: 'no-repository' };
    throw error;
  }
}

async function isDirectory(path: Buffer): Promise<boolean> {
  return promises.stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

function digestTree(tree: Tree): string {
  return sha256(JSON.stringify([tree.head, tree.dirty]));
}

/**
 * What HEAD holds of a file, byte for byte; null where it holds none, or there is no repository.
 * @param directory absolute, inside the work tree
 * @param path of the file, relative to `directory`
 * @throws DevCliError `IO`, `INTERRUPTED`, `GIT_FAILED` when git cannot be asked at all
 */
export async function readCommittedContent(
  directory: string,
  path: string,
  around: GitOptions,
): Promise<Buffer | null> {
  const place = await findRepository(directory, around);
  if (place.kind !== 'repository') return null;
  const fromTop = join(place.prefix.toString('utf8'), path);
  const listed = await git(directory, ['ls-files', '--full-name', '-z', '--', path], around);
  if (listed.toString('utf8') !== `${fromTop}\0`) return null;
  try {
    return await git(directory, ['cat-file', 'blob', `HEAD:${fromTop}`], around);
  } catch {
    // Added and never committed, or no commit yet.
    return null;
  }
}

/**
 * Why git would refuse a commit for want of a name and an address, in its words; null when it knows both.
 * @param workTree absolute path, in a repository
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findIdentityProblem(workTree: string, around: GitOptions = {}): Promise<string | null> {
  const asked = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((one) => findRefusal(workTree, one, around));
  return (await Promise.all(asked)).find((said) => said !== null) ?? null;
}

async function findRefusal(workTree: string, variable: string, around: GitOptions): Promise<string | null> {
  try {
    await git(workTree, ['var', variable], around);
    return null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return error.details[0]?.problem ?? error.message;
  }
}
