import { DevCliError } from '../../base/errors.js';
import type { AckInput, Acknowledged, AckResult, ChangedSources, PendingBlock } from '../../blocks/acknowledgement.js';
import { getBlockType } from '../../blocks/block-types.js';
import { acknowledgeChoice } from '../../blocks/choice.js';
import { markAcknowledged } from '../../blocks/complete-action.js';
import { warnChangedInputs, warnOutdatedApprovals } from '../../blocks/inputs.js';
import { acknowledgeTasks, type Taken } from '../../engine/act/collect.js';
import { acknowledgeGate } from '../../engine/act/gate-answer.js';
import { findChoices } from '../../run/acknowledgements.js';
import { recordEntry, recordFault, recordStepSummary, type Transaction } from '../../run/transaction.js';
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
    warnChangedInputs(tx);
    warnOutdatedApprovals(tx);
    return takenByEngine(tx, acknowledgeTasks(tx, dispatch, input));
  }
  const identified = identify(tx, input);
  if (identified.kind === 'duplicate') return { kind: 'duplicate' };
  if (input.collect === true) throw unexpected('collect', 'Only tasks of an execution are collected.');
  const pending = identified.pending;
  if (pending.action.action === 'running') throw stillRunning(tx, pending);
  const known = structuredClone(tx.state.inputHashes);
  warnChangedInputs(tx);
  warnOutdatedApprovals(tx);
  if (pending.block.kind === 'engine' && input.fail !== true)
    return takenByEngine(tx, acknowledgeGate(tx, pending, input));
  const { result, event } =
    input.fail === true ? failed(tx, pending, input.reason) : describeEnd(tx, pending, input, sources);
  if (event !== undefined) advance(tx, event);
  // A refusal has no warnings: what changed is told by the acknowledgement that is taken.
  if (result.kind === 'refused') tx.state.inputHashes = known;
  return result;
}

/** Lets the engine take what its tasks, or a person at its gate, came to. */
function takenByEngine(tx: Transaction, { result, events }: Taken): AckResult {
  if (events !== undefined) advanceEngine(tx, events);
  return result;
}

function describeEnd(tx: Transaction, pending: PendingBlock, input: AckInput, sources: ChangedSources): Acknowledged {
  const { block } = pending;
  if (findChoices(pending.action) !== undefined) {
    refuseUnexpected(input, ['data', 'result', 'without']);
    return acknowledgeChoice(tx, pending, input);
  }
  if (input.choice !== undefined) throw unexpected('choice', 'This action offers no choices.');
  if (block.kind === 'cli' || block.kind === 'engine') {
    throw new DevCliError('INTERNAL', `The action ${pending.action.actionId} cannot be acknowledged like this.`);
  }
  const type = getBlockType(block);
  refuseUnexpected(input, type.refuses);
  return type.acknowledge(tx, { ...pending, block }, input, sources);
}

/** `step fail`: the agent cannot; `onError` decides (protocol.md §3). */
function failed(tx: Transaction, pending: PendingBlock, reason: string | undefined): Acknowledged {
  const { block, action } = pending;
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  if (action.action === 'wait-for-user') throw gateCannotFail(tx, pending);
  recordEntry(tx, 'failed', { actionId: action.actionId, block: block.id, reason });
  recordStepSummary(tx, block.id, `failed: ${reason}`);
  recordFault(tx, block.id, 'STEP_FAILED', reason);
  markAcknowledged(tx, pending);
  if (block.kind !== 'cli' && block.kind !== 'engine') getBlockType(block).fail?.(tx, block, reason);
  return { result: { kind: 'failed' }, event: { type: 'FAIL' } };
}

function gateCannotFail(tx: Transaction, { action }: PendingBlock): DevCliError {
  const ids = (findChoices(action) ?? []).map((choice) => choice.id).join(', ');
  return new DevCliError('DATA_UNEXPECTED', `"${action.block}" waits for a choice, which cannot fail.`, {
    fix: [
      `Choose one of: ${ids}. Each choice has its own ack. To end the run, with the reason for WHY: `,
      { command: 'abort', input: { name: tx.state.name, reason: 'WHY' } },
    ],
  });
}

function stillRunning(tx: Transaction, pending: PendingBlock): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', 'dev-cli runs this command itself; there is nothing to acknowledge.', {
    fix: { command: 'next', input: { name: tx.state.name, wait: tx.pollWait } },
    pending: { actionId: pending.action.actionId },
  });
}

function refuseUnexpected(input: AckInput, keys: readonly ('data' | 'choice' | 'result' | 'without')[]): void {
  for (const key of keys) if (input[key] !== undefined) throw unexpected(key, 'The pending action does not take it.');
}

function unexpected(option: string, why: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', `--${option} does not fit here. ${why}`, {
    fix: 'Run the acknowledgement exactly as the action prints it.',
  });
}
