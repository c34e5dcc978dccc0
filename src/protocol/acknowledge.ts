import { DevCliError } from '../base/errors.js';
import { fault, noteStep } from '../blocks/execute.js';
import { choicesOf } from '../run/acknowledgements.js';
import { record, type Turn } from '../run/turn.js';
import { acknowledgeAgents, completeAnyway } from './acknowledge-agents.js';
import { acknowledgeChoice } from './acknowledge-choice.js';
import { acknowledgeData, acknowledgeWritten } from './acknowledge-data.js';
import { acknowledgeGate } from './acknowledge-gate.js';
import { type AckInput, type AckResult, type ChangedSources, type Pending, settleAction } from './acknowledgement.js';
import { advance } from './advance.js';
import { acknowledgeTasks } from './collect.js';
import { identify, pendingPart } from './identify.js';
import { checkApprovals, checkInputs } from './inputs.js';

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
    return acknowledgeTasks(turn, dispatch, input);
  }
  const identified = identify(turn, input);
  if (identified.kind === 'duplicate') return { kind: 'duplicate' };
  if (input.collect === true) throw unexpected('collect', 'Only tasks of an execution are collected.');
  const pending = identified.pending;
  if (pending.action.action === 'running') throw stillRunning(turn, pending);
  const known = structuredClone(turn.state.inputHashes);
  checkInputs(turn);
  checkApprovals(turn);
  if (input.fail === true) return failed(turn, pending, input.reason);
  const result = judged(turn, pending, input, sources);
  // A refusal has no warnings: what changed is told by the acknowledgement that is taken.
  if (result.kind === 'refused') turn.state.inputHashes = known;
  return result;
}

function judged(turn: Turn, pending: Pending, input: AckInput, sources: ChangedSources): AckResult {
  const { block } = pending;
  if (choicesOf(pending.action) !== undefined) {
    refuseUnexpected(input, ['data', 'result', 'without']);
    return block.kind === 'engine' ? acknowledgeGate(turn, pending, input) : acknowledgeChoice(turn, pending, input);
  }
  if (input.choice !== undefined) throw unexpected('choice', 'This action offers no choices.');
  switch (block.kind) {
    case 'llm':
    case 'llm-loop':
      refuseUnexpected(input, ['without']);
      return acknowledgeData(turn, { ...pending, block }, input);
    case 'llm+cli':
      refuseUnexpected(input, ['data', 'without']);
      return acknowledgeWritten(turn, { ...pending, block }, input, sources);
    case 'subagent':
    case 'subagent-loop':
      refuseUnexpected(input, ['data']);
      return acknowledgeAgents(turn, { ...pending, block }, input, sources);
    case 'wait-for-user':
    case 'cli':
    case 'engine':
      throw new DevCliError('INTERNAL', `The action ${pending.action.actionId} cannot be acknowledged like this.`);
  }
}

/** `step fail`: the agent cannot; `onError` decides (protocol.md §3). */
function failed(turn: Turn, pending: Pending, reason: string | undefined): AckResult {
  const { block, action } = pending;
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  if (action.action === 'wait-for-user') throw gateCannotFail(turn, pending);
  if (block.kind === 'subagent' || block.kind === 'subagent-loop') {
    for (const agent of block.agents) {
      const known = turn.state.agents[agent.id];
      if (known?.status === 'pending')
        turn.state.agents[agent.id] = { ...known, status: 'failed', reason, at: turn.at };
    }
  }
  record(turn, 'failed', { actionId: action.actionId, block: block.id, reason });
  noteStep(turn, block.id, `failed: ${reason}`);
  fault(turn, block.id, 'STEP_FAILED', reason);
  settleAction(turn, pending);
  if (block.kind === 'subagent' || block.kind === 'subagent-loop') completeAnyway(turn, block);
  advance(turn, { type: 'FAIL' });
  return { kind: 'failed' };
}

function gateCannotFail(turn: Turn, { action }: Pending): DevCliError {
  const ids = (choicesOf(action) ?? []).map((choice) => choice.id).join(', ');
  return new DevCliError('DATA_UNEXPECTED', `"${action.block}" waits for a choice, which cannot fail.`, {
    run: turn.state.name,
    fix: [
      `Choose one of: ${ids}. Each choice has its own ack. To end the run, with the reason for WHY: `,
      { command: 'abort', input: { name: turn.state.name, reason: 'WHY' } },
    ],
    ...pendingPart(turn),
  });
}

function stillRunning(turn: Turn, pending: Pending): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', 'dev-cli runs this command itself; there is nothing to acknowledge.', {
    run: turn.state.name,
    fix: { command: 'next', input: { name: turn.state.name, wait: turn.pollWait } },
    pending: { actionId: pending.action.actionId },
  });
}

function refuseUnexpected(input: AckInput, keys: ('data' | 'choice' | 'result' | 'without')[]): void {
  for (const key of keys) if (input[key] !== undefined) throw unexpected(key, 'The pending action does not take it.');
}

function unexpected(option: string, why: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', `--${option} does not fit here. ${why}`, {
    fix: 'Run the acknowledgement exactly as the action prints it.',
  });
}
