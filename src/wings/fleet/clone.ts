import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import { makePrivateDirectory } from '../../project/own-places.js';
import { executeGit, type GitOptions, nullIfRefused, queryGit, runGitQuerySync } from '../../work/git-command.js';
import { hideCredentials, withoutCredentials } from '../../work/remote.js';
import { QUIET_GIT_OPTIONS } from '../../work/trees.js';

/** A worker's own clone of a project, which nobody else uses (fleet.md, Git). */

/** Most seconds that a clone may take. */
const CLONE_SECONDS = 3_600;
/** Age in milliseconds from which a lock of git's index counts as stale: nobody else works in the clone. */
const LEFT_MS = 600_000;
/** Largest file that is read from a commit, in bytes; enough for hundreds of goals. */
const LARGEST_FILE = 256 * 1024;

/** The directory and the remote of a clone. */
export interface ClonePlace {
  /** Absolute. */
  directory: string;
  url: string;
  /** The name of the remote in the clone. */
  remote: string;
  git: GitOptions;
}

/**
 * Returns the existing clone, or makes it; an unfinished one is discarded. No branch and no file is checked out.
 * @returns its top, absolute
 * @throws DevCliError `GIT_FAILED`, also if the directory is not a clone of this remote; `IO`, `INTERRUPTED`
 */
export async function openClone({ directory, url, remote, git: options }: ClonePlace): Promise<{ top: string }> {
  const key = `remote.${remote}.url`;
  if (existsSync(directory)) {
    // Without this check, git would answer for an enclosing repository.
    const found = existsSync(join(directory, '.git'))
      ? await nullIfRefused(readLine(directory, ['config', '--local', '--get', key], options))
      : null;
    if (found === null || hideCredentials(found) !== hideCredentials(url)) throw strangerError(directory);
    // The address may contain another token than when the clone was made.
    if (found !== url) await executeGit(directory, ['config', '--local', key, url], options);
    return { top: directory };
  }
  const half = `${directory}.new`;
  rmSync(half, { recursive: true, force: true });
  // The clone's configuration may contain a token, and the project may be private.
  makePrivateDirectory(half, directory);
  const flags = ['--quiet', '--no-checkout', '--no-tags', '--no-recurse-submodules', '--origin', remote];
  const clone = executeGit(dirname(half), [...QUIET_GIT_OPTIONS, 'clone', ...flags, '--', url, half], {
    timeoutSeconds: CLONE_SECONDS,
    ...options,
  });
  await withoutCredentials(clone);
  const head = await nullIfRefused(readLine(half, ['rev-parse', '--verify', 'HEAD'], options));
  if (head !== null) await executeGit(half, ['update-ref', '--no-deref', 'HEAD', head], options);
  renameSync(half, directory);
  return { top: directory };
}

/**
 * Checks out a commit. Untracked files, above all `.dev/`, stay and are never overwritten.
 * @throws DevCliError `GIT_FAILED`, also if an untracked file is in the way; `IO`, `INTERRUPTED`
 */
export async function checkOutCommit(top: string, commit: string, options: GitOptions): Promise<void> {
  const lock = statSync(join(top, '.git/index.lock'), { throwIfNoEntry: false });
  if (lock !== undefined && Date.now() - lock.mtimeMs > LEFT_MS) rmSync(join(top, '.git/index.lock'));
  // Discards what an interrupted call left half done.
  await executeGit(top, [...QUIET_GIT_OPTIONS, 'reset', '--quiet', '--hard'], options);
  await executeGit(
    top,
    [...QUIET_GIT_OPTIONS, 'checkout', '--quiet', '--no-overwrite-ignore', '--detach', commit],
    options,
  );
}

/**
 * Returns a reader of the files in a commit, which never follows links. It runs git synchronously, so it blocks this
 * process.
 * @param top absolute: what paths begin with
 * @param commit an id
 * @returns a reader that returns null for anything but a regular file, and throws DevCliError `GIT_FAILED`, `IO`
 */
export function readFilesAt(top: string, commit: string, options: GitOptions): FileReader {
  const ask = (args: string[]): Buffer => runGitQuerySync(queryGit(top, ['--literal-pathspecs', ...args]), options);
  return {
    list(directory) {
      const names = listFilesAt(top, directory, { commit, options }).map((path) => path.split('/', 1)[0] ?? '');
      return [...new Set(names)].sort();
    },
    read(path) {
      if (!path.startsWith(`${top}/`)) return null;
      const name = path.slice(top.length + 1);
      const [, mode, id, size] =
        /^(\d+) blob (\S+) +(\d+)\t/.exec(ask(['ls-tree', '-lz', '--full-tree', commit, '--', name]).toString()) ?? [];
      if (id === undefined || mode === LINK) return null;
      if (Number(size) <= LARGEST_FILE) return ask(['cat-file', 'blob', id]).toString('utf8');
      throw new DevCliError('IO', `${name} is too large at ${commit.slice(0, 12)}.`, {
        details: [{ target: name, problem: `it has ${size} bytes; the limit is ${LARGEST_FILE}` }],
        fix: `Shorten ${name} and commit the change.`,
      });
    },
  };
}

/** How many commits keep their files in memory. */
const REMEMBERED = 8;

/** Caches the files read from the last commits: a commit never changes, and many attempts start from the same one. */
export function rememberFiles(open: (commit: string) => Pick<FileReader, 'read'>): typeof open {
  const readers = new Map<string, Pick<FileReader, 'read'>>();
  return (commit) => {
    const { read } = open(commit);
    const texts = new Map<string, string | null>();
    const reader = readers.get(commit) ?? {
      read(path: string) {
        const known = texts.get(path);
        if (known !== undefined) return known;
        const text = read(path);
        texts.set(path, text);
        return text;
      },
    };
    readers.delete(commit);
    readers.set(commit, reader);
    for (const old of [...readers.keys()].slice(0, -REMEMBERED)) readers.delete(old);
    return reader;
  };
}

/**
 * Lists the files below a directory in a commit, by paths relative to that directory. @throws DevCliError `GIT_FAILED`,
 * `IO`
 */
export function listFilesAt(
  top: string,
  directory: string,
  { commit, options }: { commit: string; options: GitOptions },
): string[] {
  if (!directory.startsWith(`${top}/`)) return [];
  const below = `${directory.slice(top.length + 1)}/`;
  const listed = ['--literal-pathspecs', 'ls-tree', '-rz', '--name-only', '--full-tree', commit, '--', below];
  const paths = runGitQuerySync(queryGit(top, listed), options).toString('utf8').split('\0');
  return paths.filter((path) => path.startsWith(below)).map((path) => path.slice(below.length));
}

/** The mode of a symbolic link in a git tree. */
const LINK = '120000';

/**
 * Returns the id of the first commit on the first-parent history of HEAD, by which repositories are told apart;
 * histories merged later do not change it.
 * @returns null if there is no commit
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findFirstCommit(top: string, options: GitOptions): Promise<string | null> {
  return nullIfRefused(readLine(top, ['rev-list', '--first-parent', '--max-parents=0', 'HEAD'], options));
}

async function readLine(directory: string, args: string[], options: GitOptions): Promise<string> {
  return (await executeGit(directory, args, options)).toString('utf8').trim();
}

function strangerError(directory: string): DevCliError {
  const problem = 'it is not a clone of the `remote_url` that fleet.yaml has for the project';
  return new DevCliError('GIT_FAILED', `${directory} cannot be used: ${problem}.`, {
    details: [{ target: directory, problem }],
    fix: `Move ${directory} away, or correct \`remote_url\`; then start the worker again.`,
  });
}
