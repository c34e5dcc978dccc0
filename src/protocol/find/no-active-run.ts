// door: refusal

import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import type { ReadContext } from '../../run/context.js';

/**
 * Builds the error for a command without a name when no run is active; the error points to the existing runs.
 * @param first the command that starts a first run
 * @param repeat builds the same command for a given run; the error suggests it for the run that ended last
 */
export async function buildNoActiveRunError(
  { store }: ReadContext,
  first: Invocation,
  repeat: ((name: string) => Invocation) | undefined,
): Promise<DevCliError> {
  const ended: { name: string; updatedAt: string }[] = [];
  let isAny = false;
  for (const name of await store.streams()) {
    try {
      const { snapshot } = await store.read(name);
      // A directory whose first commit was interrupted by a crash does not count as a run.
      isAny ||= snapshot !== null;
      if (snapshot !== null && snapshot.status !== 'live') ended.push({ name, updatedAt: snapshot.updatedAt });
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      isAny = true;
    }
  }
  const [last] = ended.sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
  const list: Invocation = { command: 'list', input: {} };
  const known =
    last === undefined || repeat === undefined
      ? list
      : ['The run that ended last: ', repeat(last.name), '. All: ', list];
  return new DevCliError('NO_ACTIVE_RUN', 'No name was given and no run is active here.', {
    fix: isAny ? known : ['Start a run: ', first],
  });
}
