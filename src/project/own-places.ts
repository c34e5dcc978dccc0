import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';
import { ensureDirectory, syncDirectory, writeDurably } from '../store/durable.js';
import { readStats, resolveDirectory, resolvePath } from '../store/inside.js';
import { pathError, withIoErrors } from '../store/io.js';
import { DEV_DIRECTORY } from './layout.js';

/**
 * Throws if a link on a path in a project leads out of the project, into a git directory, or nowhere. A clone may
 * contain such links, and writing through one would change a file elsewhere. For code that is about to write to the
 * path, which need not exist yet.
 * @param root absolute
 * @param path relative to the root
 * @throws DevCliError `IO`, naming the link
 */
export function requireInside(root: string, path: string): void {
  withIoErrors(join(root, path), root, () => {
    const real = realpathSync(root);
    let at = real;
    for (const name of path.split('/')) {
      at = join(at, name);
      const stats = readStats(at);
      if (stats === undefined) return;
      if (!stats.isSymbolicLink()) continue;
      const led = resolvePath(real, at);
      const fault = led.kind === 'inside' ? judgeTarget(real, led.path) : FAULTS[led.kind];
      if (fault !== null) {
        const target = resolve(dirname(at), readlinkSync(at));
        const fix = 'Remove that link or move what it leads to into the project, then repeat the command.';
        throw pathError(join(root, relative(real, at)), root, `it is a link to ${target}, ${fault}`, fix);
      }
      if (led.kind === 'inside') at = led.path;
    }
  });
}

/** Returns whether a directory of a project is inside it once links are followed. @param directory absolute */
export function isOwnDirectory(root: string, directory: string): boolean {
  return resolvePath(realpathSync(root), join(realpathSync(root), relative(root, directory))).kind === 'inside';
}

const FAULTS = { outside: 'which is outside the project', loop: 'which leads in a circle' };

function judgeTarget(root: string, path: string): string | null {
  if (relative(root, path).split('/').includes('.git')) return 'which belongs to git';
  return existsSync(path) ? null : 'which does not exist';
}

/** Where skills write a goal that a shell cannot pass on stdin, relative to the root or the caller's directory. */
export const GOAL_FILE = '.dev/goal.md';

/**
 * Removes the first existing goal file, once a run has its goal. Leaves anything that is not a regular file.
 * @param directories absolute, in the order in which goal files are searched for
 */
export function removeGoalFile(directories: readonly string[]): void {
  for (const directory of directories) {
    const path = join(directory, GOAL_FILE);
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (stats.isFile()) rmSync(path, { force: true });
    } catch {
      // The run has already been created, so a leftover file must not make the call fail.
    }
    return;
  }
}

/**
 * Caches information that any call can determine again, and that is therefore not part of a commit. If the disk is full
 * or read-only, caches nothing and does not fail.
 * @param root absolute
 * @param path relative to the root
 * @returns whether it was cached
 */
export function keepFinding(root: string, path: string, text: string): boolean {
  try {
    writeDurably(join(resolveDirectory(root, dirname(path)), basename(path)), text, root);
    return true;
  } catch (error) {
    if (!(error instanceof DevCliError) && getSystemCode(error) === undefined) throw error;
    return false;
  }
}

/**
 * Creates a file if the path does not exist, atomically and without overwriting a file created in the meantime.
 * @param path absolute; its directory is created
 * @param root for messages: paths inside it are shown relative to it
 * @returns false if the path already exists
 * @throws DevCliError `IO`
 */
export function createFile(path: string, content: string, root: string): boolean {
  ensureDirectory(dirname(path), root);
  return withIoErrors(path, root, () => {
    const temporary = `${path}.${process.pid}`;
    try {
      writeFileSync(temporary, content, { flush: true });
      linkSync(temporary, path);
    } catch (error) {
      if (getSystemCode(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
    syncDirectory(dirname(path));
    return true;
  });
}

/**
 * Appends lines to a file to which other programs may also append; creates it if necessary. Starts a new line if the
 * last one is incomplete.
 * @param path absolute
 * @param root for messages: paths inside it are shown relative to it
 * @throws DevCliError `IO`
 */
export function appendLines(path: string, lines: string, root: string): void {
  ensureDirectory(dirname(path), root);
  withIoErrors(path, root, () => {
    const file = openSync(path, 'a+');
    try {
      const last = Buffer.from('\n');
      readSync(file, last, 0, 1, Math.max(0, fstatSync(file).size - 1));
      appendFileSync(file, last.toString() === '\n' ? lines : `\n${lines}`, { flush: true });
    } finally {
      closeSync(file);
    }
  });
}

/**
 * Writes a file that only the user can read, replacing an existing one.
 * @param path absolute; its directory is created
 * @throws DevCliError `IO`
 */
export function writePrivateFile(path: string, content: string, root: string): void {
  ensureDirectory(dirname(path), root);
  withIoErrors(path, root, () => {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, content, { mode: 0o600, flush: true });
    renameSync(temporary, path);
  });
}

/** Creates a directory that only the user can enter. @param path absolute @throws DevCliError `IO` */
export function makePrivateDirectory(path: string, root: string): void {
  ensureDirectory(path, root);
  withIoErrors(path, root, () => chmodSync(path, 0o700));
}

/** Removes a directory below `.dev` with its content. @param path relative to `.dev` @throws DevCliError `IO` */
export function removeBelowHome(root: string, path: string): void {
  requireInside(root, `${DEV_DIRECTORY}/${path}`);
  withIoErrors(join(root, DEV_DIRECTORY, path), root, () =>
    rmSync(join(root, DEV_DIRECTORY, path), { recursive: true, force: true }),
  );
}
