import { createMachine, transition } from 'xstate';
import { DevCliError } from '../../../base/errors.js';
import type { Attempt } from '../state-schema.js';

/** What happens to an attempt (loop-core.md, auto). Each is one commit of the stream. */
export type AttemptEvent =
  | 'PREPARED'
  /** A session ended, or a person answered a run that no session is to go on with. */
  | 'ENDED'
  | 'SAVED'
  /** The run goes on, and so does the attempt, with a session more. */
  | 'AGAIN'
  | 'PARK'
  | 'ACCEPT'
  | 'INTEGRATED'
  /** The branch could not be moved; the verdict stands. */
  | 'UNMOVED'
  /** It is over for this attempt, whatever becomes of the goal. */
  | 'OVER';

/** The machine of all attempts; an attempt that is settled leaves the state. */
const ATTEMPT_MACHINE = {
  id: 'attempt',
  initial: 'preparing',
  states: {
    preparing: { on: { PREPARED: 'session', OVER: 'settling' } },
    session: { on: { ENDED: 'saving', OVER: 'settling' } },
    saving: { on: { SAVED: 'judging', OVER: 'settling' } },
    judging: { on: { AGAIN: 'session', PARK: 'parked', ACCEPT: 'integrating', OVER: 'settling' } },
    parked: { on: { AGAIN: 'session', ENDED: 'saving', OVER: 'settling' } },
    integrating: { on: { INTEGRATED: 'settling', UNMOVED: 'unmoved', OVER: 'settling' } },
    unmoved: { on: { ACCEPT: 'integrating', OVER: 'settling' } },
    settling: {},
  },
} as const;

const machine = createMachine({ ...ATTEMPT_MACHINE });

/**
 * Returns the state to which an event leads an attempt.
 * @throws DevCliError `INTERNAL` for an event that its state does not accept
 */
export function stepAttempt(state: Attempt['state'], event: AttemptEvent): Attempt['state'] {
  const before = machine.resolveState({ value: state, context: {} });
  if (before.can({ type: event })) return transition(machine, before, { type: event })[0].value as Attempt['state'];
  throw new DevCliError('INTERNAL', `An attempt cannot take ${event} at ${state}.`);
}
