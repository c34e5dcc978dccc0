import type { Stats } from 'node:fs';
import { cp, link, lstat, mkdir, mkdtemp, rename, rm, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { executeGit, type GitOptions, resultOrProblem } from './git-command.js';

/** A path's change between two trees. */
export interface TreeChange {
  path: string;
  /** The mode and object of the path in the second tree; null if the path is not in it. */
  after: { mode: string; blob: string } | null;
  isSubmodule: boolean;
}

/** Reverts one change that was made to the work tree. */
type Step = () => Promise<unknown>;

const EXECUTABLE = '100755';
const LINK = '120000';

/**
 * Updates files of a work tree to their state in a tree, all or none. First writes all new files to the store, so that
 * filters, line endings and a full disk fail before any file is touched. Then replaces each file atomically, so that an
 * interrupted call leaves it in its old or its new state.
 * @param top absolute path of the top of the repository
 * @param store absolute path of a directory used by this call alone, on the same file system if possible; this function
 * creates it and does not remove it
 * @returns a function that restores the old files. If it cannot restore some, it throws DevCliError `IO`, naming the
 * directory that keeps them
 * @throws DevCliError `GIT_FAILED` naming the filter, `IO`, `INTERRUPTED`; the work tree is then unchanged
 */
export async function placeFiles(
  top: string,
  store: string,
  changes: readonly TreeChange[],
  options: GitOptions,
): Promise<() => Promise<void>> {
  const steps: Step[] = [];
  const goBack = async () => {
    const failed: unknown[] = [];
    for (const step of steps.reverse()) await step().catch((error) => failed.push(error));
    if (failed.length > 0) throw await keepApart(store, failed);
    await rm(store, { recursive: true, force: true });
  };
  let path = store;
  try {
    await rm(store, { recursive: true, force: true });
    await mkdir(store, { recursive: true });
    for (const [index, change] of changes.entries()) {
      path = change.path;
      await makeReady(top, change, join(store, `${index}.new`), options);
    }
    const [gone, written] = [
      changes.filter(({ after }) => after === null),
      changes.filter(({ after }) => after !== null),
    ];
    for (const change of [...gone, ...written]) {
      path = change.path;
      await place(top, change, join(store, `${changes.indexOf(change)}`), steps);
    }
  } catch (error) {
    await goBack();
    throw error instanceof DevCliError ? error : notPlacedError(path, error);
  }
  return goBack;
}

/** Writes a file's new content as git would check it out, but to the store. */
async function makeReady(top: string, { path, after }: TreeChange, ready: string, options: GitOptions): Promise<void> {
  if (after === null) return;
  const { mode, blob } = after;
  const asked = mode === LINK ? ['blob', blob] : ['--filters', `--path=${path}`, blob];
  const content = await resultOrProblem(() => executeGit(top, ['cat-file', ...asked], options));
  if (typeof content === 'string') {
    throw new DevCliError('GIT_FAILED', `git cannot write ${path}; nothing changed.`, {
      details: [{ target: path, problem: content }],
      fix: 'Fix what `details` lists, then repeat the command.',
    });
  }
  if (mode === LINK) await symlink(content, ready);
  else await writeFile(ready, content, { mode: mode === EXECUTABLE ? 0o777 : 0o666 });
}

/** @param store path without suffix: `.old` is appended for the old file, `.new` for the new one */
async function place(top: string, { path, after }: TreeChange, store: string, steps: Step[]): Promise<void> {
  const file = join(top, path);
  const facts = await lstat(file).catch(() => null);
  if (facts?.isDirectory() === false) {
    await keep(file, `${store}.old`, facts.isSymbolicLink());
    steps.push(() => putBack(`${store}.old`, file, facts));
  }
  if (after === null) {
    if (facts?.isDirectory() === false) await unlink(file);
    await removeEmpty(top, dirname(path), steps);
    return;
  }
  if (facts === null) {
    await makeAbove(dirname(file), steps);
    steps.push(() => removeIfThere(file));
  } else if (facts.isDirectory()) {
    await rmdir(file);
    steps.push(() => mkdir(file));
  }
  await move(`${store}.new`, file);
}

/** Saves a file as a hard link or, if that is not possible, as a copy. */
async function keep(file: string, kept: string, isLink: boolean): Promise<void> {
  // A symbolic link is copied, since some systems would hard-link its target.
  if (
    !isLink &&
    (await link(file, kept).then(
      () => true,
      () => false,
    ))
  )
    return;
  await cp(file, kept, { verbatimSymlinks: true, preserveTimestamps: true });
}

async function putBack(kept: string, file: string, { ino, mtimeMs }: Stats): Promise<void> {
  const now = await lstat(file).catch(() => null);
  if (now?.ino !== ino || now.mtimeMs !== mtimeMs) await move(kept, file);
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (getSystemCode(error) !== 'EXDEV') throw error;
    await rm(to, { force: true });
    await cp(from, to, { verbatimSymlinks: true, preserveTimestamps: true });
  }
}

async function removeIfThere(file: string): Promise<void> {
  if (await lstat(file).catch(() => null)) await unlink(file);
}

async function makeAbove(directory: string, steps: Step[]): Promise<void> {
  if (await lstat(directory).catch(() => null)) return;
  await makeAbove(dirname(directory), steps);
  await mkdir(directory);
  steps.push(() => rmdir(directory));
}

/** Removes a directory and those above it as long as they are empty, as git does. */
async function removeEmpty(top: string, path: string, steps: Step[]): Promise<void> {
  if (path === '.') return;
  const directory = join(top, path);
  if (
    !(await rmdir(directory).then(
      () => true,
      () => false,
    ))
  )
    return;
  steps.push(() => mkdir(directory));
  await removeEmpty(top, dirname(path), steps);
}

function notPlacedError(path: string, cause: unknown): DevCliError {
  const problem = `cannot be replaced (${getSystemCode(cause)})`;
  return new DevCliError('IO', `${path} ${problem}; nothing changed.`, {
    details: [{ target: path, problem }],
    fix: 'Fix that, then repeat the command.',
    cause,
  });
}

/** Renames the store, so that the next call does not delete the old files in it. */
async function keepApart(store: string, failed: readonly unknown[]): Promise<DevCliError> {
  const kept = await mkdtemp(`${store}-`);
  await rename(store, kept);
  return new DevCliError('IO', `Not everything could be restored; the previous files are kept in ${kept}.`, {
    details: failed.map((error) => ({ target: kept, problem: error instanceof Error ? error.message : String(error) })),
    fix: 'Restore these files by hand, then repeat the command.',
  });
}
