// door: refusal

import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import type { ReadContext } from '../../run/context.js';
import type { RunState } from '../../run/state.js';

/**
 * Builds the error for a command without a name when no run is active; the error points to the existing runs.
 * @param first the command that starts a first run
 * @param repeat builds the same command for a given run; the error suggests it for a live run, else for the one that
 * ended last
 */
export async function buildNoActiveRunError(
  { store }: ReadContext,
  first: Invocation,
  repeat: ((name: string) => Invocation) | undefined,
): Promise<DevCliError> {
  const runs: Pick<RunState, 'name' | 'status' | 'updatedAt'>[] = [];
  let isAny = false;
  for (const name of await store.streams()) {
    try {
      const { snapshot } = await store.read(name);
      // A directory whose first commit was interrupted by a crash does not count as a run.
      isAny ||= snapshot !== null;
      if (snapshot !== null) runs.push({ ...snapshot, name });
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      isAny = true;
    }
  }
  const isLive = ({ status }: { status: string }) => status === 'live';
  const newest = runs.sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
  const best = newest.find(isLive) ?? newest[0];
  const list: Invocation = { command: 'list', input: {} };
  const known =
    best === undefined || repeat === undefined
      ? list
      : [isLive(best) ? 'A live run: ' : 'The run that ended last: ', repeat(best.name), '. All: ', list];
  return new DevCliError('NO_ACTIVE_RUN', 'No name was given and no run is active here.', {
    fix: isAny ? known : ['Start a run: ', first],
  });
}
