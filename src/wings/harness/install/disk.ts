import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DevCliError, getSystemCode } from '../../../base/errors.js';
import { makeDirectories, replaceFile } from '../../../store/durable.js';
import { pathError, withIoErrors } from '../../../store/io.js';

/** The files of a harness, below a project or a home directory. */

/** Longer than any settings. */
const LARGEST = 4 * 1024 * 1024;

/**
 * Returns the text of a file, or null where nothing is.
 * @throws DevCliError `IO` for what is no file, is too large to be settings, or could not be written because a link leads nowhere
 */
export function readText(path: string): string | null {
  return withIoErrors(path, null, () => {
    try {
      const facts = statSync(path);
      if (!facts.isFile()) throw pathError(path, null, 'it is not a file', 'Move it away, then repeat the command.');
      if (facts.size > LARGEST) throw pathError(path, null, 'it is too large', 'Look at that file.');
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (getSystemCode(error) !== 'ENOENT') throw error;
      const target = followLinks(path);
      const dangling = target === path ? findDangling(dirname(path)) : path;
      if (dangling === null || (dangling === path && existsSync(dirname(target)))) return null;
      throw pathError(path, null, `${dangling} is a link to what is not there`, 'Fix or remove that link.');
    }
  });
}

/** The link above a path that leads nowhere; null where there is none. Throws system errors. */
function findDangling(path: string): string | null {
  let at = path;
  while (!existsSync(at)) {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
    at = dirname(at);
  }
  return null;
}

/** Reads something, or says what an error of dev-cli is taken for. @throws any other error */
export function readOr<T, U>(read: () => T, otherwise: (error: DevCliError) => U): T | U {
  try {
    return read();
  } catch (error) {
    if (error instanceof DevCliError) return otherwise(error);
    throw error;
  }
}

/** Where a path leads, also when nothing is there yet. Throws system errors. */
export function followLinks(path: string): string {
  let at = path;
  while (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
    at = resolve(realpathSync(dirname(at)), readlinkSync(at));
  return at;
}

/**
 * Writes a file in one step; where a link leads to it, the file behind the link.
 * @throws DevCliError `IO`
 */
export function writeText(path: string, text: string): void {
  withIoErrors(path, null, () => {
    makeDirectories(dirname(path));
    replaceFile(followLinks(path), text, null, { durable: true });
  });
}

/** Removes a file; where a link leads to it, the file behind the link. @throws DevCliError `IO` */
export function removeText(path: string): void {
  withIoErrors(path, null, () => rmSync(followLinks(path), { force: true }));
}

/**
 * Removes what a writer that was cut off has left beside a file.
 * @param isOurs whether a text is one that would have been written there
 * @throws DevCliError `IO`
 */
export function removeLeftovers(path: string, isOurs: (text: string) => boolean): void {
  withIoErrors(path, null, () => {
    const target = followLinks(path);
    const stem = `${basename(target)}.`;
    for (const name of listNames(dirname(target))) {
      if (!name.startsWith(stem) || !/^\d{1,10}$/.test(name.slice(stem.length))) continue;
      const leftover = join(dirname(target), name);
      if (lstatSync(leftover).isFile() && isOurs(readText(leftover) ?? '')) rmSync(leftover, { force: true });
    }
  });
}

/** Lists the directories that have to be made before there can be a file at a path. */
export function listMissing(path: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.push(at);
  return missing;
}

/** Removes those of these directories that are empty, deepest first, and returns those that remain. @throws DevCliError `IO` */
export function removeEmpty(directories: readonly string[]): string[] {
  return [...directories].sort((one, other) => other.length - one.length).filter((directory) => !isRemoved(directory));
}

function isRemoved(directory: string): boolean {
  return withIoErrors(directory, null, () => {
    try {
      rmdirSync(directory);
      return true;
    } catch (error) {
      const code = getSystemCode(error);
      if (code === 'ENOENT') return true;
      // Something is in it, or a file or a link has taken its place.
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return false;
      throw error;
    }
  });
}

/** Reads the files of a directory with this ending, by their names without it. */
export function readAll(directory: string, ending: string): Record<string, string> {
  return Object.fromEntries(
    listNames(directory).flatMap((name) => {
      if (!name.endsWith(ending)) return [];
      const text = readText(`${directory}/${name}`);
      return text === null ? [] : [[name.slice(0, -ending.length), text] as const];
    }),
  );
}

/** Lists the names in a directory; none where there is no directory. */
export function listNames(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

/** Whether something is at a path. */
export function exists(path: string): boolean {
  return existsSync(path);
}

/** Reads the skills of a directory: by the name of each, its SKILL.md. */
export function readSkills(directory: string): Record<string, string> {
  return Object.fromEntries(
    listNames(directory).flatMap((name) => {
      const text = readText(`${directory}/${name}/SKILL.md`);
      return text === null ? [] : [[name, text] as const];
    }),
  );
}
