import { DevCliError } from '../base/errors.js';
import type { Effect } from '../machine/events.js';
import { getBlock, type Transaction } from '../run/transaction.js';
import { getBlockType } from './block-types.js';
import { setPendingAction } from './pending.js';

/**
 * Hands out a new action for a block that asks the agent or a person: builds it whole, writes its prompt files, and
 * makes it the pending one (protocol.md §2). False when there is nothing to do: no agent's condition holds.
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
