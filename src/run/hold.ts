import { DevCliError } from '../base/errors.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { Context } from './context.js';
import type { RunState } from './state.js';

/** Characters of a hold's reason that a refusal quotes. */
const REASON_SHOWN = 200;

/** Whether a person holds a run that may still go on. */
export function isHeldByPerson({ held, status }: Pick<RunState, 'held' | 'status'>): boolean {
  return held?.by === 'human' && (status === 'live' || status === 'halted');
}

/** Says which run a person holds, and why, as far as they said so. */
function describeHold({ name, held }: RunState): string {
  const why = held?.reason === undefined ? '' : ` ("${toBoundedLine(held.reason, REASON_SHOWN)}")`;
  return `A person holds "${name}"${why}`;
}

/** The same as a sentence to be added to a refusal; empty where no person holds the run. */
export function renderHold(state: RunState): string {
  return isHeldByPerson(state) ? ` ${describeHold(state)}.` : '';
}

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
