import { DevCliError } from './errors.js';

/**
 * Builds the error for a name without a run.
 * @param meant a sentence to append, with a leading space: the runs that were probably meant
 */
export function noSuchRunError(name: string, meant = ''): DevCliError {
  return new DevCliError('NO_SUCH_RUN', `There is no run named "${name}".${meant}`, {
    fix: { command: 'list', input: {} },
  });
}
