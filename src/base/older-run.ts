// door: refusal

import { DevCliError } from './errors.js';

/**
 * Builds the error for a file written by a pre-release of dev-cli.
 * @param what the file's name, with which the message begins
 */
export function olderRunError(what: string): DevCliError {
  return new DevCliError(
    'STATE_OLDER',
    `${what} was written by a pre-release of dev-cli, which this version does not read. It was left unchanged.`,
    { fix: ['Begin the work again under a name that has no run: ', { command: 'init', input: { name: 'NAME' } }] },
  );
}

/** Returns whether `olderRunError` built an error. Code that only looks for live runs then treats the run as absent. */
export function isOlderRun(error: unknown): boolean {
  return error instanceof DevCliError && error.code === 'STATE_OLDER';
}
