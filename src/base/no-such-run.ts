import { DevCliError } from './errors.js';

/** The error for a name without a run. */
export function noSuchRun(name: string): DevCliError {
  return new DevCliError('NO_SUCH_RUN', `There is no run named "${name}".`, {
    fix: { command: 'list', input: {} },
  });
}
