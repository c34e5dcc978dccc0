import { join } from 'node:path';
import { isName } from '../base/name.js';
import { isMissing, readRegular } from './inside.js';

const LIMIT = 1024 * 1024;

/** The file that names the active run (storage.md, Layout). @param home `<root>/.dev` */
export function activePathIn(home: string): string {
  return join(home, 'active-spec');
}

/** The run named there, or null. Throws system errors. */
export function readActive(home: string): string | null {
  const name = readMark(activePathIn(home))?.trim() ?? '';
  return isName(name) ? name : null;
}

/** The text of a small file of the root; null where there is none, or something else. Throws system errors. */
export function readMark(path: string): string | null {
  try {
    return readRegular(path, LIMIT)?.toString('utf8') ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
