import { createMachine, transition } from 'xstate';
import { DevCliError } from '../../../base/errors.js';
import type { Attempt } from '../state-schema.js';

/** Events of an attempt (loop-core.md, auto). Each is one commit of the stream. */
export type AttemptEvent =
  | 'PREPARED'
  /** A session ended, or a person answered a run that needs no further session. */
  | 'ENDED'
  | 'SAVED'
  /** The attempt continues with another session, because its run is not finished. */
  | 'AGAIN'
  | 'PARK'
  | 'ACCEPT'
  | 'INTEGRATED'
  /** The branch could not be moved; the verdict stays. */
  | 'UNMOVED'
  /** The attempt is over, whatever happens to the goal. */
  | 'OVER';

/** The state machine of an attempt; a settled attempt is removed from the state. */
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
 * Returns the next state of an attempt after an event.
 * @throws DevCliError `INTERNAL` for an event that its state does not accept
 */
export function stepAttempt(state: Attempt['state'], event: AttemptEvent): Attempt['state'] {
  const before = machine.resolveState({ value: state, context: {} });
  if (before.can({ type: event })) return transition(machine, before, { type: event })[0].value as Attempt['state'];
  throw new DevCliError('INTERNAL', `An attempt cannot take ${event} at ${state}.`);
}
