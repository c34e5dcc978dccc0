import { DevCliError } from '../base/errors.js';
import { DISK_READER } from '../project/reader.js';
import { PREFERENCES_FILE, readProjectSettings } from '../recipe/settings/project-settings.js';
import { createReadContext } from './context.js';
import type { Environment } from './environment.js';

/** Who calls at a terminal, and how they want to see runs. */
interface Person {
  /** Absolute. */
  root: string;
  /** Lines are added one below the other, with words for signs. */
  wants: 'screens' | 'lines';
}

/**
 * Describes the person who calls; null where nobody is at a terminal at both ends, or only an agent can be.
 * @throws DevCliError what finding the root throws
 */
export function describePerson(environment: Environment): Person | null {
  const { caller, mark, root } = createReadContext(environment);
  if (caller.terminal !== true || mark !== null) return null;
  return { root, wants: prefersPlain(root) ? 'lines' : 'screens' };
}

/** A file that cannot be used says nothing here. */
function prefersPlain(root: string): boolean {
  try {
    return readProjectSettings(DISK_READER.read(`${root}/${PREFERENCES_FILE}`), ['plain']).plain === true;
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}
