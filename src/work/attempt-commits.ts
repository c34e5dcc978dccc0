import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { OWN_MARK } from '../base/harness-mark.js';
import { buildCommitEnvironment } from './commit.js';
import { storeContentTree } from './content.js';
import { executeGit, findRepository, type GitOptions, resultOrProblem } from './git-command.js';
import { decodeName, splitNames } from './status.js';
import { QUIET_GIT_OPTIONS } from './trees.js';
import { readLine } from './undo.js';

/** Handles commits of what an attempt changed in its own work tree (loop-core.md, auto, steps 4 to 6). */

/** Environment variables that make dev-cli the author and committer of kept commits, which belong to no user. */
export const KEPT_COMMIT_IDENTITY = {
  GIT_AUTHOR_NAME: 'dev-cli',
  GIT_AUTHOR_EMAIL: 'dev-cli@localhost',
  GIT_COMMITTER_NAME: 'dev-cli',
  GIT_COMMITTER_EMAIL: 'dev-cli@localhost',
};

/** The difference between two states of a work tree. */
export interface TreeDifference {
  /** A commit on top of the base that holds the current content of `paths`; null if nothing differs. */
  commit: string | null;
  /** Relative to the top of the repository, sorted. */
  paths: string[];
  /** Paths that differ but were left out of the commit. */
  left: string[];
}

/**
 * Writes everything that git does not ignore as a tree object to the repository, and returns the tree's id.
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function writeTree(tree: string, options: GitOptions): Promise<string> {
  const kept = await storeContentTree(tree, options);
  if (kept !== null) return kept.tree;
  throw new DevCliError('GIT_FAILED', `There is no longer a repository at ${tree}.`);
}

/**
 * Creates a commit on top of the base with every path that differs from an earlier tree, whether or not somebody has
 * staged or committed it since.
 * @param tree absolute: top of a work tree
 * @param change.zero the earlier tree, from `writeTree`
 * @param change.leaves returns whether a path is left out of the commit
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function keepDifference(
  tree: string,
  change: { base: string; zero: string; message: string; leaves: (path: string) => boolean },
  options: GitOptions,
): Promise<TreeDifference> {
  await unnest(tree, change.zero, options);
  const now = await writeTree(tree, options);
  const raw = await executeGit(
    tree,
    ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', change.zero, now],
    options,
  );
  const differing = parseRaw(raw).map((one) => ({ ...one, name: decodeName(one.path) }));
  const changes = differing.filter(({ name }) => !change.leaves(name));
  const list = (counts: boolean) =>
    differing
      .map(({ name }) => name)
      .filter((name) => change.leaves(name) !== counts)
      .sort();
  const lists = { paths: list(true), left: list(false) };
  if (changes.length === 0) return { commit: null, ...lists };
  const directory = mkdtempSync(join(tmpdir(), 'dev-cli-kept-'));
  try {
    const aside = { ...options, aside: { index: join(directory, 'index') } };
    await executeGit(tree, ['read-tree', change.base], aside);
    // Deletions come first: a file may replace a directory.
    const ordered = [...changes].sort((a, b) => Number(b.gone) - Number(a.gone));
    const input = Buffer.concat(ordered.flatMap(({ entry, path }) => [Buffer.from(`${entry}\t`), path, NUL]));
    await executeGit(tree, ['update-index', '-z', '--index-info'], { ...aside, input });
    const made = await readLine(tree, ['write-tree'], aside);
    return { commit: await commitTree(tree, { ...change, tree: made }, options), ...lists };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Creates a commit of a tree with `KEPT_COMMIT_IDENTITY` as its author. @throws DevCliError `GIT_FAILED`, `IO`,
 * `INTERRUPTED`
 */
export function commitTree(
  top: string,
  { tree, base, message }: { tree: string; base: string; message: string },
  options: GitOptions,
): Promise<string> {
  const env = { ...(options.env ?? process.env), ...KEPT_COMMIT_IDENTITY };
  return readLine(top, ['commit-tree', tree, '-p', base, '-m', message], { ...options, env });
}

/** A path that differs between two trees. */
export interface PathChange {
  /** Relative to the top of the repository. */
  path: string;
  /** The target if the path is now a symbolic link. */
  link: string | null;
  /** Whether the path is now a nested repository: git records only its commit, not its files. */
  isSubmodule: boolean;
}

/** Lists the paths that differ between two trees or commits. @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED` */
export async function listPathChanges(
  top: string,
  { from, to }: { from: string; to: string },
  options: GitOptions,
): Promise<PathChange[]> {
  const raw = parseRaw(
    await executeGit(top, ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', from, to], options),
  );
  const changes: PathChange[] = [];
  for (const { entry, path } of raw) {
    const [mode, id = ''] = entry.split(' ');
    const link = mode === '120000' ? (await executeGit(top, ['cat-file', 'blob', id], options)).toString('utf8') : null;
    changes.push({ path: decodeName(path), link, isSubmodule: mode === '160000' });
  }
  return changes;
}

/**
 * Applies the text of a diff to a commit without touching any work tree.
 * @param patch.keeps whether the new objects are written to the repository; otherwise they are discarded on return
 * @returns git's message if the patch does not apply
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function applyPatchToCommit(
  top: string,
  patch: { base: string; text: string; keeps: boolean },
  options: GitOptions,
): Promise<{ tree: string; changes: PathChange[] } | { refused: string }> {
  const found = await findRepository(top, options, ['objects']);
  const beside = found.kind === 'repository' ? found.places?.[0] : undefined;
  if (beside === undefined)
    throw new DevCliError('GIT_FAILED', `The location of git's objects in ${top} cannot be determined.`);
  const directory = mkdtempSync(join(tmpdir(), 'dev-cli-patch-'));
  try {
    const own = { directory: join(directory, 'objects'), beside };
    mkdirSync(own.directory);
    const aside = {
      ...options,
      aside: { index: join(directory, 'index'), ...(patch.keeps ? {} : { objects: own }) },
    };
    await executeGit(top, ['read-tree', patch.base], aside);
    const said = await resultOrProblem(() => executeGit(top, APPLY, { ...aside, input: patch.text }));
    if (typeof said === 'string') return { refused: said };
    const tree = await readLine(top, ['write-tree'], aside);
    return { tree, changes: await listPathChanges(top, { from: patch.base, to: tree }, aside) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Applies a patch only to the index, with exact whitespace; also refuses names that HFS or NTFS treat as `.git`. */
const APPLY = [
  ...['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true'],
  ...['apply', '--cached', '--whitespace=nowarn', '--no-ignore-whitespace', '-'],
];

/**
 * Lists the references below a prefix that point to kept commits, with these commits. A reference that only reserves a
 * number still points to a base, of which `KEPT_COMMIT_IDENTITY` is not the author; it is left out.
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function listKept(top: string, prefix: string, options: GitOptions): Promise<Map<string, string>> {
  const listed = await readLine(
    top,
    ['for-each-ref', '--format=%(refname) %(objectname) %(authoremail)', prefix],
    options,
  );
  const lines = listed.split('\n').map((line) => line.split(' '));
  const kept = lines.filter(([, , email]) => email === `<${KEPT_COMMIT_IDENTITY.GIT_AUTHOR_EMAIL}>`);
  return new Map(kept.map(([name = '', commit = '']) => [name, commit]));
}

/**
 * Turns new nested repositories into plain directories by removing their `.git`, because git would not store their
 * files. Leaves alone nested repositories that are already in the tree `zero`, such as those that an install created.
 */
async function unnest(tree: string, zero: string, options: GitOptions): Promise<void> {
  const list = ['ls-files', '--others', '--exclude-standard', '-z'];
  const known = new Set<string>();
  // Once a `.git` is removed, git may find more repositories inside that directory.
  for (;;) {
    const others = splitNames(await executeGit(tree, list, options));
    const nested = others.filter((path) => path.endsWith('/') && !known.has(path));
    if (nested.length === 0) return;
    if (known.size === 0) for (const path of await listLinks(tree, zero, options)) known.add(path);
    for (const path of nested.filter((one) => !known.has(one))) {
      rmSync(join(tree, path, '.git'), { recursive: true, force: true });
      known.add(path);
    }
  }
}

/** Lists the nested repositories recorded in a tree; each path ends in `/`. */
async function listLinks(tree: string, commit: string, options: GitOptions): Promise<string[]> {
  const entries = splitNames(
    await executeGit(tree, ['ls-tree', '-r', '-z', '--format=%(objectmode) %(path)', commit], options),
  );
  return entries.filter((line) => line.startsWith('160000 ')).map((line) => `${line.slice(7)}/`);
}

const NUL = Buffer.from('\0');

/** Parses `diff-tree --raw -z`: `:100644 100755 OLD NEW M`, then the path. */
function parseRaw(raw: Buffer): { entry: string; path: Buffer; gone: boolean }[] {
  const found: { entry: string; path: Buffer; gone: boolean }[] = [];
  for (let at = 0; at < raw.length; ) {
    const middle = raw.indexOf(0, at);
    const end = raw.indexOf(0, middle + 1);
    const [, mode = '', , id = ''] = raw.subarray(at, middle).toString('latin1').split(' ');
    const gone = /^0+$/.test(mode);
    found.push({ entry: `${gone ? '0' : mode} ${id}`, path: raw.subarray(middle + 1, end), gone });
    at = end + 1;
  }
  return found;
}

/**
 * Checks out a commit in a work tree that dev-cli created, and removes untracked files that git does not ignore.
 * @param except paths relative to the top that stay untouched and untracked
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function checkOutTree(
  tree: string,
  commit: string,
  except: readonly string[],
  options: GitOptions,
): Promise<void> {
  await executeGit(tree, [...QUIET_GIT_OPTIONS, 'checkout', '--quiet', '--force', '--detach', commit], options);
  await executeGit(tree, ['clean', '-fdq', ...except.flatMap((path) => ['-e', `/${path}`])], options);
}

/**
 * Applies a commit's changes to the index and the work tree, without committing.
 * @returns git's message if they do not apply
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function pickChanges(tree: string, commit: string, options: GitOptions): Promise<string | null> {
  const env = { ...(options.env ?? process.env), ...KEPT_COMMIT_IDENTITY };
  const pick = ['cherry-pick', '--no-commit', '--allow-empty', commit];
  const said = await resultOrProblem(() => executeGit(tree, [...QUIET_GIT_OPTIONS, ...pick], { ...options, env }));
  return typeof said === 'string' ? said : null;
}

/**
 * Commits what is staged as the user, with the repository's hooks.
 * @returns the commit, or git's message if it refused
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function commitStaged(
  tree: string,
  message: string,
  options: GitOptions,
): Promise<{ commit: string } | { refused: string }> {
  const env = { ...buildCommitEnvironment(options.env ?? process.env), [OWN_MARK]: '1' };
  const args = [
    '-c',
    'gc.auto=0',
    '-c',
    'maintenance.auto=false',
    'commit',
    '--quiet',
    '--allow-empty',
    '--cleanup=whitespace',
    '--file=-',
  ];
  const asked = { ...options, env, input: message };
  const said = await resultOrProblem(() => executeGit(tree, args, asked));
  return typeof said === 'string'
    ? { refused: said }
    : { commit: await readLine(tree, ['rev-parse', 'HEAD'], options) };
}
