// door: refusal

import { DevCliError } from './errors.js';

/** The refusal of what a pre-release of dev-cli wrote. @param what names it, as the beginning of a sentence */
export function olderRunError(what: string): DevCliError {
  return new DevCliError(
    'STATE_OLDER',
    `${what} was written by a pre-release of dev-cli, which this version does not read. It stays as it is.`,
    { fix: ['Begin the work anew, under a name that has no run: ', { command: 'init', input: { name: 'NAME' } }] },
  );
}

/** Whether an error is that refusal: then there is no run for those who only look whether one is live. */
export function isOlderRun(error: unknown): boolean {
  return error instanceof DevCliError && error.code === 'STATE_OLDER';
}
