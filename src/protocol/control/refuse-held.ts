import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { describeHold, isHeldByPerson } from '../../run/hold.js';
import type { RunState } from '../../run/state.js';

/**
 * Refuses to everybody but a person at a terminal what would get round a person's hold (control.md, Releasing).
 * @param what what was asked for, as the rest of a sentence
 * @throws DevCliError `RUN_HELD`
 */
export function refuseHeld(context: Context, state: RunState, what: string): void {
  if (!isHeldByPerson(state) || context.caller.terminal === true) return;
  const { name } = state;
  throw new DevCliError('RUN_HELD', `${describeHold(state)}: ${what} is for a person, too.`, {
    run: name,
    fix: 'Nothing changed. Show the user what `answer` says, and wait: only the user releases the run, in a terminal of their own.',
    answer: { command: 'release', input: { name } },
  });
}
