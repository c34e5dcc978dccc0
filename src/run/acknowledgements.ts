import type { Invocation } from '../base/invocation.js';
import type { Action, GateAction } from './action.js';

/** The acknowledgement of an action that has one for all of it, not one for each choice. */
export function findAck(action: Action): Invocation | undefined {
  return 'ack' in action ? action.ack : undefined;
}

/** The choices that an action offers; undefined where it offers none. */
export function findChoices(action: Action): NonNullable<GateAction['choices']> | undefined {
  return 'choices' in action ? action.choices : undefined;
}
