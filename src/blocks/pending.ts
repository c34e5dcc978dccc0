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

/** `pending` of an error: the action that waits, with its acknowledgement. */
export function pendingPart(turn: Turn): Pick<ErrorParts, 'pending'> {
  const pending = pendingOf(turn);
  if (pending === null) return {};
  const ack = ackOf(pending.action);
  return { pending: { actionId: pending.action.actionId, ...(ack === undefined ? {} : { ack }) } };
}

/** The error for an action that is neither pending nor acknowledged. */
export function stale(turn: Turn, message: string): DevCliError {
  const pending = pendingPart(turn);
  return new DevCliError('STALE_ACTION', message, {
    run: turn.state.name,
    ...pending,
    fix: { command: 'next', input: { name: turn.state.name } },
  });
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
