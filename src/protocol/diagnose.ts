import { DevCliError } from '../base/errors.js';
import type { Context } from './context.js';
import { findRun } from './find-run.js';

/**
 * What really was wrong when a call failed unexpectedly. A snapshot is checked in outline only, because a call must be
 * cheap: one that somebody has edited gets past that and breaks something later.
 * @param given the run's name as the call had it
 * @returns DevCliError `STATE_CORRUPT` when state.json is not what its journal says; else `error` itself
 */
export async function diagnosed(context: Context, given: unknown, error: unknown): Promise<unknown> {
  const edited = await editedRun(context, given);
  if (edited === null) return error;
  const file = `.dev/specs/${edited}/state.json`;
  return new DevCliError('STATE_CORRUPT', `${file} cannot be used and is not what its journal says.`, {
    run: edited,
    details: [{ target: file, problem: 'differs from the journal' }],
    fix: `Move ${file} to another name, then repeat the same call: it is rebuilt from the journal.`,
    cause: error,
  });
}

async function editedRun(context: Context, given: unknown): Promise<string | null> {
  try {
    const name = await findRun(context, given, false);
    const { differences } = await context.store.replay(name);
    return differences.some(({ path }) => path === 'state.json') ? name : null;
  } catch {
    // The failure that is to be explained says more than one met while explaining it.
    return null;
  }
}
