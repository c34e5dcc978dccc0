import { DevCliError } from '../../base/errors.js';

/** A mistake in the script. @param place below the step, as a JSON pointer without its first slash */
export function fault(place: string, message: string, fix?: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', message, {
    details: [{ problem: message, pointer: `/${place}` }],
    ...(fix === undefined ? {} : { fix }),
  });
}
