import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { findRepository, type GitOptions, git } from './git-command.js';

/** What a repository holds, whatever of it is staged or committed (memory.md, Truth). */

/** How long a question may take, in seconds; it is asked for the sake of one line. */
const PATIENCE = 2;

/** What memory writes itself, relative to the work tree: it does not count. */
const OWN = ['.dev', '.ai/handoffs', 'PROJECT_CONTEXT.md'];

/** Settings under which git writes nothing beside index and objects, runs no hook and refuses no line end. */
const QUIET = ['core.hooksPath=/dev/null', 'core.splitIndex=false', 'core.safecrlf=false', 'core.fsync=none'];

/** A content as the repository keeps it. */
export interface KeptContent {
  /** The tree of all that git does not ignore. */
  tree: string;
  /** The same without what memory writes. */
  content: string;
}

/**
 * Computes the id of the tree of all that git does not ignore in the whole repository, without `.dev/`, `.ai/handoffs/` and
 * PROJECT_CONTEXT.md of the work tree. It stays the same when exactly that is staged or committed, and in a linked work tree. Nothing
 * is written to the repository.
 * @param workTree absolute path
 * @returns null where it cannot be told: no repository, a file that cannot be read, a submodule that has changes of its own, or more
 * than two seconds
 * @throws DevCliError `IO` (the work tree is gone), `INTERRUPTED`
 */
export async function readContent(workTree: string, options: GitOptions = {}): Promise<string | null> {
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
 * Computes the same, and leaves its objects in the repository, for a commit to name them.
 * @returns null where there is no repository
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; system errors of the directory for temporary files
 */
export function keepContent(workTree: string, options: GitOptions = {}): Promise<KeptContent | null> {
  return makeTrees(workTree, options, null);
}

/** @param until instant in milliseconds at which to give up; null: the objects are kept, however long that takes */
async function makeTrees(workTree: string, options: GitOptions, until: number | null): Promise<KeptContent | null> {
  const found = await findRepository(workTree, limit(options, until), ['index', 'objects']);
  if (found.kind !== 'repository') return null;
  const [index, objects] = found.places ?? [];
  if (index === undefined || objects === undefined) {
    throw new DevCliError('GIT_FAILED', `The place of git's index cannot be told from the name of ${workTree}.`);
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
    // Packed tightly they would be thrown away all the same.
    const settings = [...QUIET, ...(until === null ? [] : ['core.looseCompression=0'])].flatMap((one) => ['-c', one]);
    const run = async (...args: string[]): Promise<string> =>
      (await git(workTree, [...settings, ...args], { ...limit(options, until), aside })).toString('utf8').trim();
    await run('add', '--all', '--', ':/');
    // The tree has only the commit of a submodule: git fails here where one has changes of its own.
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
 * Copies an index with its time: git looks into files that changed when it was written or later, of the others it believes what the
 * index says. A millisecond less makes up for what a time loses on its way through Node.
 */
function copyIndex(from: string, to: string): void {
  const stats = statSync(from, { throwIfNoEntry: false });
  if (stats === undefined) return;
  copyFileSync(from, to);
  const at = (Math.floor(stats.mtimeMs) - 1) / 1000;
  utimesSync(to, at, at);
}
