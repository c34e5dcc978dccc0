import { runOwn } from '../effects/execute.js';
import type { Turn } from '../effects/turn.js';
import { conditionScope } from '../effects/values.js';
import type { LlmLoopBlock } from '../recipe/resolved.js';

/** Whether a round of a loop passes: `exitCheck`, then `exitWhen`; without either its data is enough. */
export function passes(
  turn: Turn,
  block: { id: string; exitCheck?: LlmLoopBlock['exitCheck']; exitWhen?: string },
): boolean {
  if (block.exitCheck !== undefined && !runOwn(turn, block.exitCheck, block.id).ok) return false;
  return block.exitWhen === undefined || turn.evaluate(block.exitWhen, conditionScope(turn, block.id));
}
