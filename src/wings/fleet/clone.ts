import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import { makePrivateDirectory } from '../../project/own-places.js';
import { executeGit, type GitOptions, nullIfRefused, queryGit, runGitQuerySync } from '../../work/git-command.js';
import { hideCredentials, withoutCredentials } from '../../work/remote.js';
import { QUIET_GIT_OPTIONS } from '../../work/trees.js';

/** A worker's own clone of a project, in which nobody else works (fleet.md, Git). */

/** How long making a clone may take, in seconds. */
const CLONE_SECONDS = 3_600;
/** Age from which on a lock of git's index is left over, in milliseconds: nobody else works there. */
const LEFT_MS = 600_000;
/** Largest file of a project that is read at a commit, in bytes: hundreds of goals. */
const LARGEST_FILE = 256 * 1024;

/** Where a clone lies, and of what. */
export interface ClonePlace {
  /** Absolute. */
  directory: string;
  url: string;
  /** What the clone calls it. */
  remote: string;
  git: GitOptions;
}

/**
 * Makes the clone, or takes the one that is there; one that was half made is made anew. No branch is checked out, and no file.
 * @returns its top, absolute
 * @throws DevCliError `GIT_FAILED`, also for something else in its place; `IO`, `INTERRUPTED`
 */
export async function openClone({ directory, url, remote, git: options }: ClonePlace): Promise<{ top: string }> {
  const key = `remote.${remote}.url`;
  if (existsSync(directory)) {
    // Otherwise git would answer for a repository around it.
    const found = existsSync(join(directory, '.git'))
      ? await nullIfRefused(readLine(directory, ['config', '--local', '--get', key], options))
      : null;
    if (found === null || hideCredentials(found) !== hideCredentials(url)) throw strangerError(directory);
    // A token may have been replaced by another one.
    if (found !== url) await executeGit(directory, ['config', '--local', key, url], options);
    return { top: directory };
  }
  const half = `${directory}.new`;
  rmSync(half, { recursive: true, force: true });
  // The address may hold a token, and the project may be nobody else's.
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
 * Has the clone's files be those of a commit. What git does not know, `.dev/` above all, stays, and is never written over.
 * @throws DevCliError `GIT_FAILED`, also where such a file is in the way; `IO`, `INTERRUPTED`
 */
export async function checkOutCommit(top: string, commit: string, options: GitOptions): Promise<void> {
  const lock = statSync(join(top, '.git/index.lock'), { throwIfNoEntry: false });
  if (lock !== undefined && Date.now() - lock.mtimeMs > LEFT_MS) rmSync(join(top, '.git/index.lock'));
  // What a call that was cut off has left half done.
  await executeGit(top, [...QUIET_GIT_OPTIONS, 'reset', '--quiet', '--hard'], options);
  await executeGit(
    top,
    [...QUIET_GIT_OPTIONS, 'checkout', '--quiet', '--no-overwrite-ignore', '--detach', commit],
    options,
  );
}

/**
 * Reads files as a commit has them, never through a link. Waits for git with this process at a stop.
 * @param top absolute: what paths begin with
 * @param commit an id
 * @returns a reader that has null for anything but a regular file, and throws DevCliError `GIT_FAILED`, `IO`
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
        details: [{ target: name, problem: `it has ${size} bytes; ${LARGEST_FILE} are read at most` }],
        fix: `Make ${name} shorter, and commit that.`,
      });
    },
  };
}

/** Commits of which is remembered what was read. */
const REMEMBERED = 8;

/** Remembers what was read of the last commits: each keeps what it has, and many attempts start from one. */
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

/** Lists the files below a directory as a commit has it, relative to that. @throws DevCliError `GIT_FAILED`, `IO` */
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

/** The mode by which a tree says that a path is a link. */
const LINK = '120000';

/**
 * The first commit of what is checked out, by which one repository is told from another: what is merged into it later has no say.
 * @returns null where there is no commit
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findFirstCommit(top: string, options: GitOptions): Promise<string | null> {
  return nullIfRefused(readLine(top, ['rev-list', '--first-parent', '--max-parents=0', 'HEAD'], options));
}

async function readLine(directory: string, args: string[], options: GitOptions): Promise<string> {
  return (await executeGit(directory, args, options)).toString('utf8').trim();
}

function strangerError(directory: string): DevCliError {
  const problem = 'it is no clone of the address that this machine’s fleet.yaml has for the project';
  return new DevCliError('GIT_FAILED', `${directory} cannot be used: ${problem}.`, {
    details: [{ target: directory, problem }],
    fix: `Move ${directory} away, or mend the address; then start the worker again.`,
  });
}
