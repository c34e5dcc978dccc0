import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DevCliError, getSystemCode } from '../../../base/errors.js';
import { makeDirectories, replaceFile } from '../../../store/durable.js';
import { resolvePath } from '../../../store/inside.js';
import { withIoErrors } from '../../../store/io.js';
import { executeGit, findRepository, type GitOptions } from '../../../work/git-command.js';
import { removeEmptyDirectories } from './disk.js';
import { findObstacle, GIT_HOOK_BLOCK, NEW_HOOK, putBlock, readBlock } from './git-block.js';

/** Installs the clone's `post-commit` hook, which records which session made a commit (memory.md, Hooks). */

/** The hook's name for `--harness`. */
export const GIT_HARNESS = 'git';

/** The change to the hook, made or planned. */
export interface GitHookResult {
  status:
    | 'installed'
    | 'already-installed'
    | 'updated'
    | 'removed'
    | 'missing'
    | 'foreign-hook'
    | 'not-git'
    | 'refused';
  /** Absolute path of the hook; null without a repository. */
  path: string | null;
  /** The reason, and what the user has to do by hand. */
  detail?: string;
}

/** A planned change to the hook; `carryOut` is null if nothing has to be done. */
export interface GitHookPlan {
  result: GitHookResult;
  /** @throws DevCliError `IO` */
  carryOut: (() => void) | null;
}

/** The files around the hook, as absolute paths. */
interface Place {
  hook: string;
  /** The file that git really runs; a different one if core.hooksPath is set. */
  run: string;
  /** The file that the hook writes to. */
  commits: string;
}

/**
 * Plans the change that `install` makes to the hook of the clone around a directory.
 * @param directory absolute
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export function planGitHook(directory: string, options: GitOptions): Promise<GitHookPlan> {
  return plan(directory, options, (place) => {
    const { hook: path, run, commits } = place;
    const makeCommits = isFile(commits) ? null : () => closeSync(openSync(commits, 'a', 0o600));
    const write = (status: GitHookResult['status'], text: string, mode?: number): GitHookPlan => ({
      result: { status, path },
      carryOut: () => {
        makeDirectories(dirname(path));
        makeCommits?.();
        writeHook(path, text);
        if (mode !== undefined) chmodSync(path, mode);
      },
    });
    if (!isSame(run, path)) return refuse(place, `because of core.hooksPath, git runs ${run} instead`);
    const hook = readHook(path);
    if (hook === null) return write('installed', NEW_HOOK, 0o755);
    const block = readBlock(hook.text);
    const why = hook.fixed ?? hook.idle ?? (block.kind === 'half' ? HALF : findObstacle(hook.text));
    if (why !== null) return refuse(place, why);
    if (block.kind !== 'whole') return write('installed', putBlock(hook.text));
    if (!block.isCurrent) return write('updated', block.without === null ? NEW_HOOK : putBlock(block.without));
    return { result: { status: makeCommits === null ? 'already-installed' : 'updated', path }, carryOut: makeCommits };
  });
}

/**
 * Plans the change that `uninstall` makes: it removes dev-cli's lines from the hook file, even if git does not run that
 * hook.
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export function planGitHookRemoval(directory: string, options: GitOptions): Promise<GitHookPlan> {
  return plan(directory, options, ({ hook: path, commits }) => {
    const removeCommits = isFile(commits) ? () => rmSync(commits) : null;
    const hook = readHook(path);
    if (hook === null) return { result: { status: 'missing', path }, carryOut: removeCommits };
    const block = readBlock(hook.text);
    if (block.kind === 'none') return { result: { status: 'foreign-hook', path }, carryOut: removeCommits };
    if (block.kind === 'half' || hook.fixed !== null) {
      const detail = `${path} stays as it is: ${hook.fixed ?? HALF}. Remove the lines of dev-cli by hand; they begin with “# dev-cli: post-commit”.`;
      return { result: { status: 'refused', path, detail }, carryOut: null };
    }
    const { without } = block;
    const carryOut = () => {
      if (without === null) rmSync(path);
      else writeHook(path, without);
      removeCommits?.();
      if (without === null) removeEmptyDirectories([dirname(path)]);
    };
    return { result: { status: 'removed', path }, carryOut };
  });
}

const HALF = 'a mark of dev-cli is missing in it, or it has more than one block';

async function plan(
  directory: string,
  options: GitOptions,
  decide: (place: Place) => GitHookPlan,
): Promise<GitHookPlan> {
  const place = await findPlace(directory, options);
  if (typeof place === 'string') return { result: { status: 'not-git', path: null, detail: place }, carryOut: null };
  return withIoErrors(place.hook, null, () => decide(place));
}

/** Finds the paths of the hook; returns a reason if there is no repository. */
async function findPlace(directory: string, options: GitOptions): Promise<Place | string> {
  try {
    const found = await findRepository(directory, options);
    if (found.kind === 'no-git') return 'git is not on the PATH.';
    if (found.kind !== 'repository') return `${directory} is not in a git repository.`;
    // Git runs a hook in the top directory, to which a relative core.hooksPath is also relative.
    const top = resolve(directory, found.top);
    const ask = async (...args: string[]) => {
      const answer = await executeGit(top, ['rev-parse', ...args], options);
      return resolve(top, answer.toString('utf8').replace(/\n$/, ''));
    };
    const common = await ask('--git-common-dir');
    const run = await ask('--git-path', 'hooks/post-commit');
    return { hook: join(common, 'hooks', 'post-commit'), run, commits: join(common, 'dev-cli-commits') };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return [error.message, ...error.details.map(({ problem }) => problem)].join(' ');
  }
}

function isSame(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(resolvePath('/', dirname(one)), resolvePath('/', dirname(other)));
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

interface Hook {
  text: string;
  /** Why the hook file cannot be changed; null if it can. */
  fixed: string | null;
  /** Why git does not run the hook; null if it does. */
  idle: string | null;
}

/** Reads the hook; null if there is none. Throws system errors. */
function readHook(path: string): Hook | null {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return null;
  const isLink = entry.isSymbolicLink() || lstatSync(dirname(path)).isSymbolicLink();
  const isFixed = isLink || !entry.isFile() || isReadOnly(path, entry.mode);
  const why = isLink ? 'a link' : entry.isFile() ? 'read-only' : 'not a file';
  const idle = (entry.mode & 0o111) === 0 ? 'it is not executable, so git does not run it' : null;
  return { text: readBytes(path), fixed: isFixed ? `it is ${why}` : null, idle };
}

function readBytes(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // A dangling link, or a directory.
    if (['ENOENT', 'EISDIR', 'ELOOP'].includes(getSystemCode(error) ?? '')) return '';
    throw error;
  }
}

function isReadOnly(path: string, mode: number): boolean {
  if ((mode & 0o222) === 0) return true;
  try {
    for (const one of [path, dirname(path)]) accessSync(one, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

function writeHook(path: string, text: string): void {
  withIoErrors(path, null, () => replaceFile(path, Buffer.from(text, 'latin1'), null, { durable: true }));
}

/** Plans no change, and explains how to do it by hand. */
function refuse({ hook, commits }: Place, why: string): GitHookPlan {
  const detail = `Nothing was added to ${hook}: ${why}. By hand: create the empty file ${commits}, and have sh run these lines after each commit:\n${GIT_HOOK_BLOCK}`;
  return { result: { status: 'refused', path: hook, detail }, carryOut: null };
}
