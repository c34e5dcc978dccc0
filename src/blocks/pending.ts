import { defined } from '../base/defined.js';
import { DevCliError, type ErrorParts } from '../base/errors.js';
import { findAck } from '../run/acknowledgements.js';
import type { PendingAction } from '../run/action.js';
import type { PathFacts, PendingState } from '../run/state.js';
import { getBlock, recordEntry, type Transaction } from '../run/transaction.js';
import type { PendingBlock } from './acknowledgement.js';
import { getRound } from './values.js';

/** The action that waits for an acknowledgement, with its block; null when the run has ended. */
export function findPending(tx: Transaction): PendingBlock | null {
  const state = tx.state.pendingAction;
  if (state === null || state.action.action === 'done') return null;
  const action: PendingAction = state.action;
  return { state, action, block: getBlock(tx, action.block) };
}

/** Where an error happened: the run, and the action that waits there with its acknowledgement (protocol.md, Errors). */
export function whereIn({ state }: Transaction): Pick<ErrorParts, 'run' | 'pending'> {
  const action = state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return { run: state.name };
  return { run: state.name, pending: { actionId: action.actionId, ...defined({ ack: findAck(action) }) } };
}

/** The error for an action that is neither pending nor acknowledged. */
export function staleActionError({ state }: Transaction, message: string): DevCliError {
  return new DevCliError('STALE_ACTION', message, { fix: { command: 'next', input: { name: state.name } } });
}

/**
 * Makes an action the pending one and records it.
 * @param before what stands at each promised path
 * @param more what else its acknowledgement is measured against
 */
export function setPendingAction(
  tx: Transaction,
  action: PendingAction,
  before: Record<string, PathFacts>,
  cause: string,
  more: Pick<PendingState, 'handed' | 'sections'> = {},
): void {
  tx.state.pendingAction = {
    issuedAt: tx.at,
    issuedSeq: 0,
    cause,
    before,
    ...more,
    acknowledged: false,
    action,
  };
  tx.state.status = 'live';
  tx.state.outcome = null;
  const step = tx.state.steps[action.block];
  tx.state.steps[action.block] = { ...step, status: 'running', at: tx.at, round: getRound(tx, action.block) };
  recordEntry(tx, 'issued', {
    actionId: action.actionId,
    block: action.block,
    action: action.action,
    cause,
    round: getRound(tx, action.block),
  });
  tx.because.length = 0;
}
