import { DevCliError } from '../base/errors.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { Context } from './context.js';
import type { RunState } from './state.js';

/** How many characters of a hold's reason a refusal quotes. */
const REASON_SHOWN = 200;

/** Returns whether a person holds this run and the run can still continue. */
export function isHeldByPerson({ held, status }: Pick<RunState, 'held' | 'status'>): boolean {
  return held?.by === 'human' && (status === 'live' || status === 'halted');
}

/** Says that a person holds the run and, if they gave a reason, why. */
function describeHold({ name, held }: RunState): string {
  const why = held?.reason === undefined ? '' : ` ("${toBoundedLine(held.reason, REASON_SHOWN)}")`;
  return `A person holds "${name}"${why}`;
}

/** Renders the hold as a sentence to append to a refusal; empty if no person holds the run. */
export function renderHold(state: RunState): string {
  return isHeldByPerson(state) ? ` ${describeHold(state)}.` : '';
}

/**
 * Refuses a request that would bypass a person's hold, unless a person at a terminal makes it (control.md, Releasing).
 * @param what the request as an infinitive, such as `to begin it again`, which follows "only a person is allowed"
 * @throws DevCliError `RUN_HELD`
 */
export function refuseHeld(context: Context, state: RunState, what: string): void {
  if (!isHeldByPerson(state) || context.caller.terminal === true) return;
  const { name } = state;
  throw new DevCliError('RUN_HELD', `${describeHold(state)}, so only a person is allowed ${what}.`, {
    run: name,
    fix: 'Nothing changed. Show the user what `answer` says, and wait: only the user releases the run, in a terminal of their own.',
    answer: { command: 'release', input: { name } },
  });
}
