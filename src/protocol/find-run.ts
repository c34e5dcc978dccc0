import { DevCliError } from '../base/errors.js';
import type { Invocation } from '../base/invocation.js';
import { requireName } from '../base/name.js';
import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';

/** How a first run is started. */
export const FIRST_RUN: Invocation = { command: 'init', input: { name: 'NAME', goal: 'what you want' } };

/**
 * The run a command is about (protocol.md, Names): the one named, else the one this session is bound to, else the one
 * this work tree was made for, else the active one.
 * @param changes whether the command changes state: then several live runs and no known session need the name
 * @throws DevCliError `NAME_INVALID`, `NO_ACTIVE_RUN`, `NAME_REQUIRED`
 */
export async function findRun(context: ReadContext, given: unknown, changes: boolean): Promise<string> {
  if (given !== undefined) return requireName(String(given));
  if (context.session !== null) {
    const bound = await context.store.session(context.session);
    if (bound !== null) return bound;
  }
  if (context.boundRun !== null) return context.boundRun;
  const active = await context.store.active();
  if (changes) {
    const live = await runsWhere(context, ({ status }) => status === 'live');
    if (live.length > 1) {
      throw new DevCliError('NAME_REQUIRED', `Several runs are live: ${live.join(', ')}.`, {
        details: live.map((name) => ({ target: name, problem: 'live' })),
        fix: ['Say which one is meant, as in: ', { command: 'status', input: { name: live[0] ?? '' } }],
      });
    }
  }
  if (active !== null) return requireName(active);
  const none = (await context.store.streams()).length === 0;
  throw new DevCliError('NO_ACTIVE_RUN', 'No name was given and no run is active here.', {
    fix: none ? ['Start a run: ', FIRST_RUN] : { command: 'list', input: {} },
  });
}

/** The names of the runs of this root that are as wanted; a run that cannot be read is not. */
export async function runsWhere(context: ReadContext, wanted: (state: RunState) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const name of await context.store.streams()) {
    try {
      const { snapshot } = await context.store.read(name);
      if (snapshot !== null && wanted(snapshot)) found.push(name);
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
    }
  }
  return found;
}
