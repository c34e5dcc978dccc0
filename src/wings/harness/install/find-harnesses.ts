import { delimiter, join } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import type { Context } from '../../../run/context.js';
import { HARNESS_IDS, HARNESSES, type HarnessId } from '../harness.js';
import { exists } from './disk.js';

/**
 * Finds the harnesses that are set up in a directory or the home directory, or can be started.
 * @param base absolute
 * @throws DevCliError `USAGE` where there is none
 */
export function findHarnesses({ home, searchPath }: Pick<Context, 'home' | 'searchPath'>, base: string): HarnessId[] {
  const found = HARNESS_IDS.filter((id) => {
    const { directory, program } = HARNESSES[id];
    const programs = searchPath.split(delimiter).map((at) => join(at, program));
    return [join(base, directory), join(home, directory), ...programs].some(exists);
  });
  if (found.length > 0) return found;
  throw new DevCliError('USAGE', 'No harness was found: neither its directory here or in your home, nor its program.', {
    fix: { command: 'install', input: { harness: ['claude'] } },
  });
}

/** Lists where the harnesses that are found look for a project's skills, relative to the root. @throws DevCliError `USAGE` */
export function listSkillDirectories(context: Pick<Context, 'home' | 'searchPath' | 'root'>): string[] {
  return findHarnesses(context, context.root).map((id) => HARNESSES[id].skills);
}
