import type { Context } from '../../run/context.js';
import type { RunPlace } from './run-place.js';

/** Whether a run was begun in this directory, by this user on this machine (protocol.md §4). */
export function isAtItsPlace({ store }: Context, { name, place }: RunPlace): boolean {
  return place === store.home(name);
}

/** Whether a run may start commands here: it was begun here, or a person trusts it. */
export async function mayStartCommands(context: Context, run: RunPlace): Promise<boolean> {
  if (isAtItsPlace(context, run)) return true;
  return (await import('./run-place.js')).isTrustedHere(context, run);
}

/**
 * Refuses to start anything (a command, a commit with its hooks, a call to a forge) for an untrusted run from
 * elsewhere, because somebody else wrote its state and commands. Call it before each start (protocol.md §4).
 * @throws DevCliError `RUN_UNTRUSTED`
 */
export async function requirePlace(context: Context, run: RunPlace): Promise<void> {
  if (await mayStartCommands(context, run)) return;
  throw (await import('./run-place.js')).runUntrustedError(run);
}
