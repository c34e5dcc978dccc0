import { DevCliError } from '../base/errors.js';
import { DISK_READER } from '../project/reader.js';
import { PREFERENCES_FILE, readProjectSettings } from '../recipe/settings/project-settings.js';
import { createReadContext } from './context.js';
import type { CallEnvironment } from './environment.js';

/** The person who calls at a terminal, and how they want runs shown. */
interface Person {
  /** The root of the call, absolute. */
  root: string;
  /** `lines`: output only ever adds lines, and uses words in place of signs. */
  wants: 'screens' | 'lines';
}

/**
 * Describes the person who calls; null if standard input or output is not a terminal, or a harness mark shows an agent.
 * @throws DevCliError whatever finding the root throws
 */
export function describePerson(environment: CallEnvironment): Person | null {
  const { caller, mark, root } = createReadContext(environment);
  if (caller.terminal !== true || mark !== null) return null;
  return { root, wants: prefersPlain(root) ? 'lines' : 'screens' };
}

/** Whether the project's preferences ask for `plain`; false where the file cannot be used. */
function prefersPlain(root: string): boolean {
  try {
    return readProjectSettings(DISK_READER.read(`${root}/${PREFERENCES_FILE}`), ['plain']).plain === true;
  } catch (error) {
    if (error instanceof DevCliError) return false;
    throw error;
  }
}
