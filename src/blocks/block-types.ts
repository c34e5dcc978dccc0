import { DevCliError } from '../base/errors.js';
import type { Effect } from '../machine/events.js';
import type { AgentFacingBlock, BlockOf, ResolvedBlock } from '../recipe/resolved.js';
import { hasFailures } from '../run/facts.js';
import { markAcknowledged, type PendingBlock, setPendingAction } from '../run/pending-action.js';
import { getBlock, recordEntry, recordFault, recordStepSummary, type Transaction } from '../run/transaction.js';
import type { AckInput, Acknowledged } from './acknowledgement.js';
import type { BlockType } from './block-type.js';
import { acknowledgeChoice } from './choice.js';
import { GATE } from './gate.js';
import { LLM, LLM_LOOP } from './llm.js';
import { LLM_CLI } from './llm-cli.js';
import { listFailedBehind } from './red.js';
import { SUBAGENT } from './subagent/subagent.js';
import { warnChanges } from './values/inputs.js';

/**
 * The types of blocks that ask an agent or a person. CLI blocks are executed instead (cli.ts); engine blocks belong to
 * engine/.
 */
const BLOCK_TYPES: { readonly [K in AgentFacingBlock['kind']]: BlockType<BlockOf<K> & AgentFacingBlock> } = {
  llm: LLM,
  'llm-loop': LLM_LOOP,
  'llm+cli': LLM_CLI,
  subagent: SUBAGENT,
  'subagent-loop': SUBAGENT,
  'wait-for-user': GATE,
};

/** Returns a block's type. Pass only blocks of that kind to its functions; the compiler does not check this. */
function getBlockType({ kind }: AgentFacingBlock): BlockType<AgentFacingBlock> {
  return BLOCK_TYPES[kind];
}

function asksSomebody(block: ResolvedBlock): block is AgentFacingBlock {
  return block.kind in BLOCK_TYPES;
}

/**
 * Issues a new action: builds it, writes its prompt files, and makes it the pending one (protocol.md §2).
 * @returns false when there is nothing to do because no agent's condition holds
 * @throws DevCliError `INTERNAL` for a block that asks nobody; whatever building the action throws
 */
export function issueAction(tx: Transaction, effect: Extract<Effect, { type: 'issue' }>): boolean {
  const block = getBlock(tx, effect.block);
  if (!asksSomebody(block)) {
    throw new DevCliError('INTERNAL', `The ${block.kind} block "${block.id}" cannot be issued.`);
  }
  const { state } = tx;
  if (hasFailures(tx.state)) {
    tx.because.push(...listFailedBehind(tx, block.id).filter((path) => !tx.because.includes(path)));
  }
  const asked = getBlockType(block).ask(tx, block, { actionId: `a${state.lastAction + 1}`, cause: effect.cause });
  if (asked === null) return false;
  state.lastAction += 1;
  const { action, before = {}, ...measure } = asked;
  setPendingAction(tx, action, before, effect.cause, measure);
  return true;
}

/**
 * Judges the acknowledgement of the pending action: `step complete`, or `step fail` if `input.fail` (protocol.md §3).
 * @throws DevCliError if no evidence was accepted; if part of it is valid, that part is kept and the result is
 * `refused` instead
 */
export function acknowledgeBlock(tx: Transaction, pending: PendingBlock, input: AckInput): Acknowledged {
  const known = structuredClone(tx.state.inputHashes);
  warnChanges(tx);
  const end = input.fail === true ? failBlock(tx, pending, input.reason) : completeBlock(tx, pending, input);
  // `warnChanges` has replaced the digests, so that it warns only once. A refusal prints no warnings; the old digests
  // are put back, and the next acknowledgement warns again.
  if (end.result.kind === 'refused') tx.state.inputHashes = known;
  return end;
}

/** Runs the `onComplete` of a block, if it has one, although the block found nobody to ask. */
export function passBlock(tx: Transaction, id: string): void {
  const block = getBlock(tx, id);
  if (asksSomebody(block)) getBlockType(block).pass?.(tx, block);
}

/** Invalidates a block's results before it is done again. */
export function retractBlock(tx: Transaction, id: string): void {
  const block = getBlock(tx, id);
  if (asksSomebody(block)) getBlockType(block).retract?.(tx, block);
}

function completeBlock(tx: Transaction, pending: PendingBlock, input: AckInput): Acknowledged {
  const { block } = pending;
  if (pending.choices !== undefined) {
    const takesData = 'data' in pending.action && pending.action.data !== undefined;
    refuseUnexpected(input, [...(takesData ? [] : (['data'] as const)), 'result', 'without']);
    return acknowledgeChoice(tx, pending, input);
  }
  if (input.choice !== undefined) throw buildUnexpectedOptionError('choice', 'This action offers no choices.');
  if (!asksSomebody(block)) {
    throw new DevCliError('INTERNAL', `The action ${pending.action.actionId} cannot be acknowledged like this.`);
  }
  const type = getBlockType(block);
  refuseUnexpected(input, type.refuses);
  return type.acknowledge(tx, { ...pending, block }, input);
}

/** Records that the agent cannot do the block; `onError` decides how the run continues (protocol.md §3). */
function failBlock(tx: Transaction, pending: PendingBlock, reason: string | undefined): Acknowledged {
  const { block, action } = pending;
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure requires a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  if (action.action === 'wait-for-user') throw buildGateError(tx, pending);
  recordEntry(tx, 'failed', { actionId: action.actionId, block: block.id, reason });
  recordStepSummary(tx, block.id, `failed: ${reason}`);
  recordFault(tx, block.id, 'STEP_FAILED', reason);
  markAcknowledged(tx, pending);
  if (asksSomebody(block)) getBlockType(block).fail?.(tx, block, reason);
  return { result: { kind: 'failed' }, event: { type: 'FAIL' } };
}

function buildGateError(tx: Transaction, { action, choices }: PendingBlock): DevCliError {
  const ids = (choices ?? []).map((choice) => choice.id).join(', ');
  return new DevCliError('DATA_UNEXPECTED', `"${action.block}" waits for a choice, so it cannot be marked as failed.`, {
    fix: [
      `Choose one of: ${ids}. Each choice has its own ack. To end the run, with the reason for WHY: `,
      { command: 'abort', input: { name: tx.state.name, reason: 'WHY' } },
    ],
  });
}

/**
 * Refuses options that the pending action does not take.
 * @throws DevCliError `DATA_UNEXPECTED`
 */
export function refuseUnexpected(input: AckInput, keys: readonly ('data' | 'choice' | 'result' | 'without')[]): void {
  for (const key of keys)
    if (input[key] !== undefined)
      throw buildUnexpectedOptionError(key, 'The pending action does not take this option.');
}

/** Builds the error for an option that does not fit the pending action. */
export function buildUnexpectedOptionError(option: string, why: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', `--${option} cannot be used here. ${why}`, {
    fix: 'Run the acknowledgement exactly as the action prints it.',
  });
}
