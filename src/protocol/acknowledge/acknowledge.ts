import { DevCliError } from '../../base/errors.js';
import type { AckInput, AckResult, ChangedSources } from '../../blocks/acknowledgement.js';
import { acknowledgeBlock, refuseUnexpected, unexpectedOptionError } from '../../blocks/asking.js';
import { warnChanges } from '../../blocks/inputs.js';
import { acknowledgeTasks, type EngineAcknowledgement } from '../../engine/act/collect.js';
import { acknowledgeGate } from '../../engine/act/gate-answer.js';
import type { PendingBlock } from '../../run/pending-action.js';
import type { Transaction } from '../../run/transaction.js';
import { advance, advanceEngine } from '../walk/advance.js';
import { identify } from './identify.js';

/**
 * Acknowledges an action: identify → check evidence → save → record → advance (protocol.md §3).
 * @throws DevCliError with nothing changed, for anything but evidence that is partly good
 */
export function acknowledge(tx: Transaction, input: AckInput, sources: ChangedSources): AckResult {
  const dispatch = tx.state.pendingAction?.action;
  if (dispatch?.action === 'engine-dispatch') {
    refuseUnexpected(input, ['data', 'choice', 'result', 'without']);
    warnChanges(tx);
    return advanceByEngine(tx, acknowledgeTasks(tx, dispatch, input));
  }
  const identified = identify(tx, input);
  if (identified.kind === 'duplicate') return { kind: 'duplicate' };
  if (input.collect === true) throw unexpectedOptionError('collect', 'Only tasks of an execution are collected.');
  const { pending } = identified;
  if (pending.action.action === 'running') throw buildRunningError(tx, pending);
  if (pending.block.kind === 'engine' && input.fail !== true) {
    warnChanges(tx);
    return advanceByEngine(tx, acknowledgeGate(tx, pending, input));
  }
  const { result, event } = acknowledgeBlock(tx, pending, input, sources);
  if (event !== undefined) advance(tx, event);
  return result;
}

/** Lets the engine take what its tasks, or a person at its gate, came to. */
function advanceByEngine(tx: Transaction, { result, events }: EngineAcknowledgement): AckResult {
  if (events !== undefined) advanceEngine(tx, events);
  return result;
}

function buildRunningError(tx: Transaction, pending: PendingBlock): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', 'dev-cli runs this command itself; there is nothing to acknowledge.', {
    fix: { command: 'next', input: { name: tx.state.name, wait: tx.pollWait } },
    pending: { actionId: pending.action.actionId },
  });
}
