import type { EntryData } from '../run/entries.js';
import { record, type Turn } from '../run/turn.js';
import type { Acknowledged, Pending } from './acknowledgement.js';
import { noteInputs } from './inputs.js';

/**
 * Marks the pending action as acknowledged, so that the same acknowledgement again is a duplicate. What was said about
 * its changed sources goes for no later action.
 */
export function settleAction(turn: Turn, pending: Pending): void {
  turn.state.acknowledged[pending.action.actionId] = pending.block.id;
  turn.state.sourcesRefused = null;
}

/**
 * The action is done: recorded with its evidence, not to be acknowledged again, what it was built on noted, before the run
 * goes on.
 */
export function completed(
  turn: Turn,
  pending: Pending,
  evidence: Omit<EntryData<'acknowledged'>, 'runId' | 'actionId' | 'block'>,
): Acknowledged {
  const block = pending.block.id;
  record(turn, 'acknowledged', { actionId: pending.action.actionId, block, ...evidence });
  settleAction(turn, pending);
  noteInputs(turn, pending);
  return { result: { kind: 'completed', block }, event: { type: 'DONE' } };
}
