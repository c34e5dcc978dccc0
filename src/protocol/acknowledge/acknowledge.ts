import { DevCliError } from '../../base/errors.js';
import type { AckInput, Acknowledged, AckResult, ChangedSources, Pending } from '../../blocks/acknowledgement.js';
import { blockTypeOf } from '../../blocks/block-types.js';
import { acknowledgeChoice } from '../../blocks/choice.js';
import { checkApprovals, checkInputs } from '../../blocks/inputs.js';
import { settleAction } from '../../blocks/settle.js';
import { acknowledgeTasks, type Taken } from '../../engine/act/collect.js';
import { acknowledgeGate } from '../../engine/act/gate-answer.js';
import { choicesOf } from '../../run/acknowledgements.js';
import { fault, noteStep, record, type Turn } from '../../run/turn.js';
import { advance, advanceEngine } from '../walk/advance.js';
import { identify } from './identify.js';

/**
 * Acknowledges an action: identify → check evidence → save → record → advance (protocol.md §3).
 * @throws DevCliError with nothing changed, for anything but evidence that is partly good
 */
export function acknowledge(turn: Turn, input: AckInput, sources: ChangedSources): AckResult {
  const dispatch = turn.state.pendingAction?.action;
  if (dispatch?.action === 'engine-dispatch') {
    refuseUnexpected(input, ['data', 'choice', 'result', 'without']);
    checkInputs(turn);
    checkApprovals(turn);
    return takenByEngine(turn, acknowledgeTasks(turn, dispatch, input));
  }
  const identified = identify(turn, input);
  if (identified.kind === 'duplicate') return { kind: 'duplicate' };
  if (input.collect === true) throw unexpected('collect', 'Only tasks of an execution are collected.');
  const pending = identified.pending;
  if (pending.action.action === 'running') throw stillRunning(turn, pending);
  const known = structuredClone(turn.state.inputHashes);
  checkInputs(turn);
  checkApprovals(turn);
  if (pending.block.kind === 'engine' && input.fail !== true)
    return takenByEngine(turn, acknowledgeGate(turn, pending, input));
  const { result, event } =
    input.fail === true ? failed(turn, pending, input.reason) : judged(turn, pending, input, sources);
  if (event !== undefined) advance(turn, event);
  // A refusal has no warnings: what changed is told by the acknowledgement that is taken.
  if (result.kind === 'refused') turn.state.inputHashes = known;
  return result;
}

/** Lets the engine take what its tasks, or a person at its gate, came to. */
function takenByEngine(turn: Turn, { result, events }: Taken): AckResult {
  if (events !== undefined) advanceEngine(turn, events);
  return result;
}

function judged(turn: Turn, pending: Pending, input: AckInput, sources: ChangedSources): Acknowledged {
  const { block } = pending;
  if (choicesOf(pending.action) !== undefined) {
    refuseUnexpected(input, ['data', 'result', 'without']);
    return acknowledgeChoice(turn, pending, input);
  }
  if (input.choice !== undefined) throw unexpected('choice', 'This action offers no choices.');
  if (block.kind === 'cli' || block.kind === 'engine') {
    throw new DevCliError('INTERNAL', `The action ${pending.action.actionId} cannot be acknowledged like this.`);
  }
  const type = blockTypeOf(block);
  refuseUnexpected(input, type.refuses);
  return type.acknowledge(turn, { ...pending, block }, input, sources);
}

/** `step fail`: the agent cannot; `onError` decides (protocol.md §3). */
function failed(turn: Turn, pending: Pending, reason: string | undefined): Acknowledged {
  const { block, action } = pending;
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  if (action.action === 'wait-for-user') throw gateCannotFail(turn, pending);
  record(turn, 'failed', { actionId: action.actionId, block: block.id, reason });
  noteStep(turn, block.id, `failed: ${reason}`);
  fault(turn, block.id, 'STEP_FAILED', reason);
  settleAction(turn, pending);
  if (block.kind !== 'cli' && block.kind !== 'engine') blockTypeOf(block).fail?.(turn, block, reason);
  return { result: { kind: 'failed' }, event: { type: 'FAIL' } };
}

function gateCannotFail(turn: Turn, { action }: Pending): DevCliError {
  const ids = (choicesOf(action) ?? []).map((choice) => choice.id).join(', ');
  return new DevCliError('DATA_UNEXPECTED', `"${action.block}" waits for a choice, which cannot fail.`, {
    fix: [
      `Choose one of: ${ids}. Each choice has its own ack. To end the run, with the reason for WHY: `,
      { command: 'abort', input: { name: turn.state.name, reason: 'WHY' } },
    ],
  });
}

function stillRunning(turn: Turn, pending: Pending): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', 'dev-cli runs this command itself; there is nothing to acknowledge.', {
    fix: { command: 'next', input: { name: turn.state.name, wait: turn.pollWait } },
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
