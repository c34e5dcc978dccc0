import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { executeGit, findRepository, type GitOptions } from './git-command.js';

/** Computes an id of a repository's content, whether or not that is staged or committed (memory.md, Truth). */

/** Seconds that `computeContentTree` may take, since its result serves only one line of output. */
const PATIENCE = 2;

/** Paths that memory writes itself, relative to the work tree; they are not part of the content. */
const OWN = ['.dev', '.ai/handoffs', 'PROJECT_CONTEXT.md'];

/** Git settings with which git writes nothing but index and objects, runs no hook, and rejects no line ending. */
const QUIET = ['core.hooksPath=/dev/null', 'core.splitIndex=false', 'core.safecrlf=false', 'core.fsync=none'];

/** The content of a work tree, stored as tree objects in the repository. */
export interface KeptContent {
  /** The tree of everything that git does not ignore. */
  tree: string;
  /** The same tree without the paths that memory writes. */
  content: string;
}

/**
 * Computes the id of the tree of everything that git does not ignore in the whole repository, without `.dev/`,
 * `.ai/handoffs/` and PROJECT_CONTEXT.md of the work tree. Staging or committing the changes does not alter the id, and
 * a linked work tree with the same content has the same id. Writes nothing to the repository.
 * @param workTree absolute path
 * @returns null if the id cannot be determined: there is no repository, a file is unreadable, a submodule has changes
 * of its own, or git takes more than two seconds
 * @throws DevCliError `IO` (the work tree is gone), `INTERRUPTED`
 */
export async function computeContentTree(workTree: string, options: GitOptions = {}): Promise<string | null> {
  const until = performance.now() + PATIENCE * 1000;
  try {
    return (await makeTrees(workTree, options, until))?.content ?? null;
  } catch (error) {
    const isUnknown = error instanceof DevCliError ? error.code === 'GIT_FAILED' : getSystemCode(error) !== undefined;
    if (isUnknown) return null;
    throw error;
  }
}

/**
 * Computes the same as `computeContentTree`, but leaves the objects in the repository, where a commit can refer to
 * them.
 * @returns null if there is no repository
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; system errors of the directory for temporary files
 */
export function storeContentTree(workTree: string, options: GitOptions = {}): Promise<KeptContent | null> {
  return makeTrees(workTree, options, null);
}

/** @param until time in milliseconds at which to give up; null: no limit, and the objects are kept */
async function makeTrees(workTree: string, options: GitOptions, until: number | null): Promise<KeptContent | null> {
  const found = await findRepository(workTree, limit(options, until), ['index', 'objects']);
  if (found.kind !== 'repository') return null;
  const [index, objects] = found.places ?? [];
  if (index === undefined || objects === undefined) {
    throw new DevCliError('GIT_FAILED', `The location of git's index cannot be determined for ${workTree}.`);
  }
  const directory = mkdtempSync(join(tmpdir(), 'dev-cli-content-'));
  try {
    const own = join(directory, 'objects');
    const aside = {
      index: join(directory, 'index'),
      ...(until === null ? {} : { objects: { directory: own, beside: objects } }),
    };
    mkdirSync(own);
    copyIndex(index, aside.index);
    // Objects that are deleted right afterwards are not worth compressing.
    const settings = [...QUIET, ...(until === null ? [] : ['core.looseCompression=0'])].flatMap((one) => ['-c', one]);
    const run = async (...args: string[]): Promise<string> =>
      (await executeGit(workTree, [...settings, ...args], { ...limit(options, until), aside })).toString('utf8').trim();
    await run('add', '--all', '--', ':/');
    // Fails if a submodule has changes of its own: the tree, which records only a submodule's commit, would miss them.
    if (until !== null && existsSync(resolve(workTree, found.top, '.gitmodules'))) await run('diff-files', '--quiet');
    const tree = until === null ? await run('write-tree') : '';
    await run('rm', '--cached', '--force', '-r', '--quiet', '--ignore-unmatch', '--', ...OWN);
    return { tree, content: await run('write-tree') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function limit(options: GitOptions, until: number | null): GitOptions {
  if (until === null) return options;
  return { ...options, timeoutSeconds: Math.max(0.001, (until - performance.now()) / 1000) };
}

/**
 * Copies an index with its modification time, because git rereads only files that changed at or after that time, and
 * trusts the index for the others. Subtracts one millisecond because Node rounds the time.
 */
function copyIndex(from: string, to: string): void {
  const stats = statSync(from, { throwIfNoEntry: false });
  if (stats === undefined) return;
  copyFileSync(from, to);
  const at = (Math.floor(stats.mtimeMs) - 1) / 1000;
  utimesSync(to, at, at);
}
