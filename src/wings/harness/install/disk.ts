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

/** Reads and writes the files of a harness, in a project or a home directory. */

/** Maximum size of a file in bytes; no settings file is as large. */
const LARGEST = 4 * 1024 * 1024;

/**
 * Returns the text of a file, or null if nothing is there.
 * @throws DevCliError `IO` if it is not a file, if it is too large for settings, or if a dangling link would make it
 * impossible to write the file
 */
export function readFileText(path: string): string | null {
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
      throw pathError(path, null, `${dangling} is a dangling link`, 'Fix or remove that link.');
    }
  });
}

/** Finds a dangling link among a path and its parents; null if there is none. Throws system errors. */
function findDangling(path: string): string | null {
  let at = path;
  while (!existsSync(at)) {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
    at = dirname(at);
  }
  return null;
}

/** Returns the result of `read`, or of `otherwise` if it throws a DevCliError. @throws any other error */
export function readOr<T, U>(read: () => T, otherwise: (error: DevCliError) => U): T | U {
  try {
    return read();
  } catch (error) {
    if (error instanceof DevCliError) return otherwise(error);
    throw error;
  }
}

/** Follows links to the real path, even if nothing is there yet. Throws system errors. */
export function followLinks(path: string): string {
  let at = path;
  while (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink())
    at = resolve(realpathSync(dirname(at)), readlinkSync(at));
  return at;
}

/**
 * Writes a file atomically; if the path is a link, writes its target.
 * @throws DevCliError `IO`
 */
export function writeText(path: string, text: string): void {
  withIoErrors(path, null, () => {
    makeDirectories(dirname(path));
    replaceFile(followLinks(path), text, null, { durable: true });
  });
}

/** Removes a file; if the path is a link, removes its target. @throws DevCliError `IO` */
export function removeText(path: string): void {
  withIoErrors(path, null, () => rmSync(followLinks(path), { force: true }));
}

/**
 * Removes temporary files that an interrupted write has left next to a file.
 * @param isOurs returns whether dev-cli would have written a text there
 * @throws DevCliError `IO`
 */
export function removeLeftovers(path: string, isOurs: (text: string) => boolean): void {
  withIoErrors(path, null, () => {
    const target = followLinks(path);
    const stem = `${basename(target)}.`;
    for (const name of listNames(dirname(target))) {
      if (!name.startsWith(stem) || !/^\d{1,10}$/.test(name.slice(stem.length))) continue;
      const leftover = join(dirname(target), name);
      if (lstatSync(leftover).isFile() && isOurs(readFileText(leftover) ?? '')) rmSync(leftover, { force: true });
    }
  });
}

/** Lists the directories that must be created for a file at a path. */
export function listMissing(path: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.push(at);
  return missing;
}

/**
 * Removes directories that are empty, deepest first, and returns the directories that remain.
 * @throws DevCliError `IO`
 */
export function removeEmptyDirectories(directories: readonly string[]): string[] {
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
      // The directory is not empty, or a file or a link has replaced it.
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return false;
      throw error;
    }
  });
}

/** Reads the files of a directory with this extension, keyed by name without it. */
export function readAll(directory: string, ending: string): Record<string, string> {
  return Object.fromEntries(
    listNames(directory).flatMap((name) => {
      if (!name.endsWith(ending)) return [];
      const text = readFileText(`${directory}/${name}`);
      return text === null ? [] : [[name.slice(0, -ending.length), text] as const];
    }),
  );
}

/** Lists the names in a directory; empty if it does not exist. */
export function listNames(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

/** Returns whether something is at a path. */
export function pathExists(path: string): boolean {
  return existsSync(path);
}

/** Reads the skills of a directory: the SKILL.md of each, keyed by name. */
export function readSkills(directory: string): Record<string, string> {
  return Object.fromEntries(
    listNames(directory).flatMap((name) => {
      const text = readFileText(`${directory}/${name}/SKILL.md`);
      return text === null ? [] : [[name, text] as const];
    }),
  );
}
