import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemCode } from '../../base/errors.js';
import { makeDirectories, replaceFile } from '../../store/durable.js';
import { pathError, withIoErrors } from '../../store/io.js';

/** The files of a harness, below a project or a home directory. */

/** Longer than any settings. */
const LARGEST = 4 * 1024 * 1024;

/**
 * Returns the text of a file, or null where nothing is.
 * @throws DevCliError `IO` for what is no file, or too large to be settings
 */
export function readText(path: string): string | null {
  return withIoErrors(path, null, () => {
    try {
      const facts = statSync(path);
      if (!facts.isFile()) throw pathError(path, null, 'it is no file', 'Move it away, then repeat the command.');
      if (facts.size > LARGEST) throw pathError(path, null, 'it is too large', 'Look at that file.');
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (getSystemCode(error) === 'ENOENT') return null;
      throw error;
    }
  });
}

/**
 * Writes a file in one step; where a link leads to it, the file behind the link.
 * @returns the directories that had to be made, deepest first
 * @throws DevCliError `IO`
 */
export function writeText(path: string, text: string): string[] {
  return withIoErrors(path, null, () => {
    const made = makeDirectories(dirname(path));
    replaceFile(existsSync(path) ? realpathSync(path) : path, text, null, { durable: true });
    return made;
  });
}

/** Removes a file. @throws DevCliError `IO` */
export function removeText(path: string): void {
  withIoErrors(path, null, () => rmSync(path, { force: true }));
}

/** Removes those of these directories that are empty, deepest first, and returns those that remain. */
export function removeEmpty(directories: readonly string[]): string[] {
  return [...directories]
    .sort((one, other) => other.length - one.length)
    .filter((directory) => {
      if (!existsSync(directory)) return false;
      if (readdirSync(directory).length > 0) return true;
      withIoErrors(directory, null, () => rmdirSync(directory));
      return false;
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
