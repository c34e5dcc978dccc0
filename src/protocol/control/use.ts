import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { requireName } from '../../base/name.js';
import type { Context } from '../../run/context.js';
import { bindSession } from '../../run/other-executions.js';
import type { RunState } from '../../run/state.js';
import { readRun } from '../find/find-run.js';

/**
 * `use <name>`: makes a run the active one and binds the session to it.
 * @param given the run's name, unchecked
 * @throws DevCliError `NO_SUCH_RUN`; `RUN_ENDED` for a completed or aborted run; `USAGE` for one with a work tree of
 * its own
 */
export async function activateRun(context: Context, given: string): Promise<Answer> {
  const name = requireName(given);
  const { snapshot } = await readRun(context, name);
  if (isOver(snapshot)) throw runEndedError(snapshot);
  if (snapshot.origin !== null || snapshot.workTree !== '.') {
    throw new DevCliError('USAGE', `The run "${name}" has a work tree of its own and can only be used from there.`, {
      run: name,
      fix: `Work in ${snapshot.workTree}.`,
    });
  }
  const now = await makeActive(context, name);
  if (isOver(now)) throw runEndedError(now);
  if (context.session !== null) await bindSession(context, context.session, name);
  return { exit: 0, json: { ok: true, run: name }, text: () => `${name} is the active run now` };
}

/**
 * Makes a run the active one. If the run has ended meanwhile, clears the pointer again: the run's last commit clears
 * it, but may have done so before this call set it.
 * @returns the run as it is now
 * @throws DevCliError `NO_SUCH_RUN`
 */
export async function makeActive(context: Context, name: string): Promise<RunState> {
  await context.store.setActive(name);
  const { snapshot } = await readRun(context, name);
  if (isOver(snapshot)) await context.store.clearActive(name);
  return snapshot;
}

function isOver({ status }: RunState): boolean {
  return status === 'completed' || status === 'aborted';
}

function runEndedError({ name, status }: RunState): DevCliError {
  return new DevCliError('RUN_ENDED', `The run "${name}" is ${status}.`, {
    run: name,
    fix: { command: 'list', input: {} },
  });
}
