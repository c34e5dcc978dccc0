import type { DevCliError } from '../base/errors.js';
import { noSuchRunError } from '../base/no-such-run.js';
import { renderSuggestion } from '../base/suggest.js';
import type { ReadContext } from '../run/context.js';

/**
 * The error for a name without a run, with the runs that were probably meant: those whose names begin with it, or the one
 * that is near.
 * @param given the run's name as the call had it, if any
 * @param error `NO_SUCH_RUN`
 */
export async function suggestRuns(
  context: Pick<ReadContext, 'store'>,
  given: unknown,
  error: DevCliError,
): Promise<DevCliError> {
  const meant = typeof given === 'string' ? renderSuggestion(given, await context.store.streams()) : '';
  return typeof given === 'string' && meant !== '' ? noSuchRunError(given, meant) : error;
}
