import { defined } from '../base/defined.js';
import { DevCliError, type ErrorParts } from '../base/errors.js';
import { ackOf } from '../run/acknowledgements.js';
import type { PendingAction } from '../run/action.js';
import type { PathFacts, PendingState } from '../run/state.js';
import { blockOf, record, type Turn } from '../run/turn.js';
import type { Pending } from './acknowledgement.js';
import { roundOf } from './values.js';

/** The action that waits for an acknowledgement, with its block; null when the run has ended. */
export function pendingOf(turn: Turn): Pending | null {
  const state = turn.state.pendingAction;
  if (state === null || state.action.action === 'done') return null;
  const action: PendingAction = state.action;
  return { state, action, block: blockOf(turn, action.block) };
}

/** Where an error happened: the run, and the action that waits there with its acknowledgement (protocol.md, Errors). */
export function whereIn({ state }: Turn): Pick<ErrorParts, 'run' | 'pending'> {
  const action = state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return { run: state.name };
  return { run: state.name, pending: { actionId: action.actionId, ...defined({ ack: ackOf(action) }) } };
}

/** The error for an action that is neither pending nor acknowledged. */
export function stale({ state }: Turn, message: string): DevCliError {
  return new DevCliError('STALE_ACTION', message, { fix: { command: 'next', input: { name: state.name } } });
}

/**
 * Makes an action the pending one and records it.
 * @param before what stands at each promised path
 * @param more what else its acknowledgement is measured against
 */
export function pend(
  turn: Turn,
  action: PendingAction,
  before: Record<string, PathFacts>,
  cause: string,
  more: Pick<PendingState, 'handed' | 'sections'> = {},
): void {
  turn.state.pendingAction = {
    issuedAt: turn.at,
    issuedSeq: 0,
    cause,
    before,
    ...more,
    acknowledged: false,
    action,
  };
  turn.state.status = 'live';
  turn.state.outcome = null;
  const step = turn.state.steps[action.block];
  turn.state.steps[action.block] = { ...step, status: 'running', at: turn.at, round: roundOf(turn, action.block) };
  record(turn, 'issued', {
    actionId: action.actionId,
    block: action.block,
    action: action.action,
    cause,
    round: roundOf(turn, action.block),
  });
  turn.because.length = 0;
}
