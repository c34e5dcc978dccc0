import { DevCliError } from '../base/errors.js';
import type { Effect } from '../machine/events.js';
import type { AgentFacingBlock } from '../recipe/resolved.js';
import { markAcknowledged, type PendingBlock, setPendingAction } from '../run/pending-action.js';
import { getBlock, recordEntry, recordFault, recordStepSummary, type Transaction } from '../run/transaction.js';
import type { AckInput, Acknowledged, ChangedSources } from './acknowledgement.js';
import type { BlockType } from './block-type.js';
import { acknowledgeChoice } from './choice.js';
import { GATE } from './gate.js';
import { warnChanges } from './inputs.js';
import { LLM, LLM_LOOP } from './llm.js';
import { LLM_CLI } from './llm-cli.js';
import { SUBAGENT } from './subagent/subagent.js';

type BlockOf<K> = AgentFacingBlock extends infer B
  ? B extends { kind: infer Kinds }
    ? K extends Kinds
      ? B
      : never
    : never
  : never;

/** The types of blocks that ask, each a row. CLI blocks are executed (cli.ts), engine blocks have a room of their own. */
const BLOCK_TYPES: { readonly [K in AgentFacingBlock['kind']]: BlockType<BlockOf<K>> } = {
  llm: LLM,
  'llm-loop': LLM_LOOP,
  'llm+cli': LLM_CLI,
  subagent: SUBAGENT,
  'subagent-loop': SUBAGENT,
  'wait-for-user': GATE,
};

/** The type of a block; it takes blocks of its own kind only. */
function getBlockType({ kind }: AgentFacingBlock): BlockType<AgentFacingBlock> {
  return BLOCK_TYPES[kind];
}

/** What is done with a block that asks the agent or a person, whatever its type (docs/architecture.md, A type of block). */

/**
 * Hands out a new action: builds it whole, writes its prompt files, and makes it the pending one (protocol.md §2).
 * @returns false when there is nothing to do: no agent's condition holds
 */
export function issueAction(tx: Transaction, effect: Extract<Effect, { type: 'issue' }>): boolean {
  const block = getBlock(tx, effect.block);
  if (block.kind === 'cli' || block.kind === 'engine') {
    throw new DevCliError('INTERNAL', `The ${block.kind} block "${block.id}" cannot be issued.`);
  }
  const { state } = tx;
  const asked = getBlockType(block).ask(tx, block, { actionId: `a${state.lastAction + 1}`, cause: effect.cause });
  if (asked === null) return false;
  state.lastAction += 1;
  const { action, before = {}, ...measure } = asked;
  setPendingAction(tx, action, before, effect.cause, measure);
  return true;
}

/**
 * Takes the acknowledgement of the pending action: `step complete`, or with `fail` `step fail` (protocol.md §3).
 * @throws DevCliError with nothing changed, for anything but evidence that is partly good
 */
export function acknowledgeBlock(
  tx: Transaction,
  pending: PendingBlock,
  input: AckInput,
  sources: ChangedSources,
): Acknowledged {
  const known = structuredClone(tx.state.inputHashes);
  warnChanges(tx);
  const end = input.fail === true ? failBlock(tx, pending, input.reason) : completeBlock(tx, pending, input, sources);
  // A refusal has no warnings: the acknowledgement that is accepted gives them.
  if (end.result.kind === 'refused') tx.state.inputHashes = known;
  return end;
}

/** What a block does all the same where it asks nobody. */
export function passBlock(tx: Transaction, id: string): void {
  const block = getBlock(tx, id);
  if (block.kind !== 'cli' && block.kind !== 'engine') getBlockType(block).pass?.(tx, block);
}

/** What of a block's result no longer counts once it is to be done again. */
export function retractBlock(tx: Transaction, id: string): void {
  const block = getBlock(tx, id);
  if (block.kind !== 'cli' && block.kind !== 'engine') getBlockType(block).retract?.(tx, block);
}

function completeBlock(tx: Transaction, pending: PendingBlock, input: AckInput, sources: ChangedSources): Acknowledged {
  const { block } = pending;
  if (pending.choices !== undefined) {
    refuseUnexpected(input, ['data', 'result', 'without']);
    return acknowledgeChoice(tx, pending, input);
  }
  if (input.choice !== undefined) throw buildUnexpectedOptionError('choice', 'This action offers no choices.');
  if (block.kind === 'cli' || block.kind === 'engine') {
    throw new DevCliError('INTERNAL', `The action ${pending.action.actionId} cannot be acknowledged like this.`);
  }
  const type = getBlockType(block);
  refuseUnexpected(input, type.refuses);
  return type.acknowledge(tx, { ...pending, block }, input, sources);
}

/** The agent cannot; `onError` decides (protocol.md §3). */
function failBlock(tx: Transaction, pending: PendingBlock, reason: string | undefined): Acknowledged {
  const { block, action } = pending;
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  if (action.action === 'wait-for-user') throw buildGateError(tx, pending);
  recordEntry(tx, 'failed', { actionId: action.actionId, block: block.id, reason });
  recordStepSummary(tx, block.id, `failed: ${reason}`);
  recordFault(tx, block.id, 'STEP_FAILED', reason);
  markAcknowledged(tx, pending);
  if (block.kind !== 'cli' && block.kind !== 'engine') getBlockType(block).fail?.(tx, block, reason);
  return { result: { kind: 'failed' }, event: { type: 'FAIL' } };
}

function buildGateError(tx: Transaction, { action, choices }: PendingBlock): DevCliError {
  const ids = (choices ?? []).map((choice) => choice.id).join(', ');
  return new DevCliError('DATA_UNEXPECTED', `"${action.block}" waits for a choice, which cannot fail.`, {
    fix: [
      `Choose one of: ${ids}. Each choice has its own ack. To end the run, with the reason for WHY: `,
      { command: 'abort', input: { name: tx.state.name, reason: 'WHY' } },
    ],
  });
}

/** @throws DevCliError `DATA_UNEXPECTED` for an option that the pending action does not take */
export function refuseUnexpected(input: AckInput, keys: readonly ('data' | 'choice' | 'result' | 'without')[]): void {
  for (const key of keys)
    if (input[key] !== undefined) throw buildUnexpectedOptionError(key, 'The pending action does not take it.');
}

/** The error for an option that does not fit the pending action. */
export function buildUnexpectedOptionError(option: string, why: string): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', `--${option} does not fit here. ${why}`, {
    fix: 'Run the acknowledgement exactly as the action prints it.',
  });
}
