import { DevCliError } from '../../base/errors.js';

/**
 * Builds the error for a mistake in a script.
 * @param place the path of the mistake below its step, as a JSON pointer without the leading slash
 */
export function scriptError(place: string, message: string, fix?: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', message, {
    details: [{ problem: message, pointer: `/${place}` }],
    ...(fix === undefined ? {} : { fix }),
  });
}
