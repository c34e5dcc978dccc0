import type { EntryData } from '../run/entries.js';
import { recordEntry, type Transaction } from '../run/transaction.js';
import type { Acknowledged, PendingBlock } from './acknowledgement.js';
import { recordInputs } from './inputs.js';

/**
 * Marks the pending action as acknowledged, so that the same acknowledgement again is a duplicate. What was said about
 * its changed sources goes for no later action.
 */
export function markAcknowledged(tx: Transaction, pending: PendingBlock): void {
  tx.state.acknowledged[pending.action.actionId] = pending.block.id;
  tx.state.sourcesRefused = null;
}

/**
 * The action is done: recorded with its evidence, not to be acknowledged again, what it was built on noted, before the run
 * goes on.
 */
export function completeAction(
  tx: Transaction,
  pending: PendingBlock,
  evidence: Omit<EntryData<'acknowledged'>, 'runId' | 'actionId' | 'block'>,
): Acknowledged {
  const block = pending.block.id;
  recordEntry(tx, 'acknowledged', { actionId: pending.action.actionId, block, ...evidence });
  markAcknowledged(tx, pending);
  recordInputs(tx, pending);
  return { result: { kind: 'completed', block }, event: { type: 'DONE' } };
}
