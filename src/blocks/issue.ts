import { DevCliError } from '../base/errors.js';
import type { Effect } from '../machine/events.js';
import { blockOf, type Turn } from '../run/turn.js';
import { blockTypeOf } from './block-types.js';
import { pend } from './pending.js';

/**
 * Hands out a new action for a block that asks the agent or a person: builds it whole, writes its prompt files, and
 * makes it the pending one (protocol.md §2). False when there is nothing to do: no agent's condition holds.
 */
export function issue(turn: Turn, effect: Extract<Effect, { type: 'issue' }>): boolean {
  const block = blockOf(turn, effect.block);
  if (block.kind === 'cli' || block.kind === 'engine') {
    throw new DevCliError('INTERNAL', `The ${block.kind} block "${block.id}" cannot be issued.`);
  }
  const { state } = turn;
  const asked = blockTypeOf(block).ask(turn, block, { actionId: `a${state.lastAction + 1}`, cause: effect.cause });
  if (asked === null) return false;
  state.lastAction += 1;
  const { action, before = {}, ...measure } = asked;
  pend(turn, action, before, effect.cause, measure);
  return true;
}
