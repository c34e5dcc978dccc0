import { DevCliError } from '../../base/errors.js';
import type { Library } from '../../recipe/load/library.js';
import { resolveSibling } from '../../recipe/load/recipe-files.js';

/** Files beside a script that it names in place of a text. */
export interface Fixtures {
  /** The text, or null where there is no such file, or it lies outside the project. */
  read(path: string): string | null;
}

/** The files beside the script at an absolute path. */
export function openFixtures(library: Library, script: string): Fixtures {
  return {
    read(path) {
      const found = resolveSibling(library, script, path);
      return found === null ? null : library.reader.read(found);
    },
  };
}

/** For a script that lies nowhere. */
export const NO_FIXTURES: Fixtures = { read: () => null };

/**
 * The text that a script means: text of several lines, or one word in capitals, is meant itself; any other names a file.
 * @param place of the value below its step, for the refusal
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
    fix: 'To give a text instead, write it on several lines: `key: |`.',
  });
}
