// door: seldom

import { DevCliError } from '../base/errors.js';

/** Builds the error of a call that a signal interrupted. */
export function buildInterruptedError(): DevCliError {
  return new DevCliError('INTERRUPTED', 'Interrupted. What was committed stays; nothing is left half done.', {
    fix: 'Run the same command again to continue.',
  });
}
