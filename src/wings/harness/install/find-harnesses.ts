import { delimiter, join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { HARNESS_IDS, type HarnessId } from '../../../generated/harnesses.js';
import type { SkillDirectories } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { HARNESSES } from '../harness.js';
import { pathExists } from './disk.js';

type Around = Pick<Context, 'home' | 'searchPath'>;

/**
 * Finds the harnesses that have a directory in `base` or in the home directory, or a program on the PATH.
 * @param base absolute
 * @throws DevCliError `USAGE` if no harness is found
 */
export function findHarnesses(context: Around, base: string): HarnessId[] {
  const found = HARNESS_IDS.filter((id) => isFound(context, base, id));
  if (found.length > 0) return found;
  throw new DevCliError(
    'USAGE',
    'No harness was found: no directory of one here or in your home, and no program on the PATH.',
    {
      fix: { command: 'install', input: { harness: [HARNESS_IDS[0]] } },
    },
  );
}

/** Returns whether `install` finds this harness if the user names none. */
export function isFound({ home, searchPath }: Around, base: string, harness: HarnessId): boolean {
  const { directory, program } = HARNESSES[harness];
  const programs = searchPath.split(delimiter).map((at) => join(at, program));
  return [join(base, directory), join(home, directory), ...programs].some(pathExists);
}

/** The directories in which harnesses look for a project's skills. */
export const SKILL_DIRECTORIES: SkillDirectories = {
  listAll: () => HARNESS_IDS.map((id) => HARNESSES[id].skills),
  listFound: (context) => findHarnesses(context, context.root).map((id) => HARNESSES[id].skills),
};
