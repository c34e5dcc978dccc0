import { DevCliError } from '../../base/errors.js';
import type { Library } from '../../recipe/load/library.js';
import { resolveSibling } from '../../recipe/load/recipe-files.js';

/** Files beside a script, which the script can name instead of containing their text. */
export interface Fixtures {
  /** Returns the text, or null if the file does not exist or lies outside the project. */
  read(path: string): string | null;
}

/** Opens the files beside a script. @param script the script's absolute path */
export function openFixtures(library: Library, script: string): Fixtures {
  return {
    read(path) {
      const found = resolveSibling(library, script, path);
      return found === null ? null : library.reader.read(found);
    },
  };
}

/** The fixtures of a script without a file. */
export const NO_FIXTURES: Fixtures = { read: () => null };

/**
 * Resolves a string in a script: several lines, or one word in capitals, are the text itself; anything else names a
 * file.
 * @param place the path of the value below its step, for the error
 * @throws DevCliError `DATA_MISSING`
 */
export function readSaid(value: string, fixtures: Fixtures, place: string): string {
  if (value.includes('\n') || /^[A-Z][A-Z_]+$/.test(value)) return value;
  const text = fixtures.read(value);
  if (text !== null) return text;
  const [key, ...rest] = place.split('/');
  const pointer = rest.length === 0 ? `/${key}` : `/${key}/${rest.join('/').replace(/~/g, '~0').replace(/\//g, '~1')}`;
  throw new DevCliError('DATA_MISSING', `There is no file ${JSON.stringify(value.slice(0, 120))} beside the script.`, {
    details: [{ problem: 'no such file', pointer }],
    fix: 'To give text instead of a file, write it as a block: `key: |`.',
  });
}
