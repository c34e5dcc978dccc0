import type { Context } from '../../run/context.js';
import type { RunPlace } from './run-place.js';

/** Whether a run was begun in this very directory, by this user on this machine (protocol.md §4). */
export function isAtItsPlace({ store }: Context, { name, place }: RunPlace): boolean {
  return place !== undefined && place === store.home(name);
}

/** Whether what a run wants to start may be started here: it is at home, or a person trusts it. */
export async function mayStart(context: Context, run: RunPlace): Promise<boolean> {
  if (isAtItsPlace(context, run)) return true;
  return (await import('./run-place.js')).isTrustedHere(context, run);
}

/**
 * To be called before anything is started for a run: a command, a commit with its hooks, what tells a forge. State and
 * commands of a run that came from elsewhere, with a clone or an archive, are somebody else's words.
 * @throws DevCliError `RUN_UNTRUSTED`
 */
export async function requirePlace(context: Context, run: RunPlace): Promise<void> {
  if (await mayStart(context, run)) return;
  throw (await import('./run-place.js')).runUntrustedError(run);
}
