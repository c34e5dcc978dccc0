// door: seldom

import { DevCliError } from '../base/errors.js';
import { BLOCK_KINDS } from '../machine/block-kinds.js';
import { findResultReader } from '../recipe/conditions/result-reader.js';
import type { AgentFacingBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { displayPath } from '../run/paths.js';
import type { Transaction } from '../run/transaction.js';

/** What the main agent reports for use in a condition (recipes.md, Conditions). */

/** The report's place in an acknowledgement, and the instruction that tells the agent about it. */
interface Report {
  instruction: string;
  reported: { result: string };
}

/**
 * Asks for a result if a condition depends on what the main agent reports at this block, and creates the directory for
 * the result's file. Null if no condition does.
 */
export function askForResult(tx: Transaction, block: AgentFacingBlock, actionId: string): Report | null {
  const condition = findCondition(tx, block);
  if (condition === undefined) return null;
  tx.files.makeRoom(getResultFile(actionId));
  const file = displayPath(tx.place, tx.state.name, getResultFile(actionId));
  return {
    instruction: ` Report your result in ${file}; a condition of the recipe depends on it: ${condition}.`,
    reported: { result: `@${file}` },
  };
}

/**
 * Refuses an acknowledgement that lacks the result on which a condition depends. Without the result a loop could never
 * pass.
 * @throws DevCliError `DATA_MISSING`
 */
export function requireResult(tx: Transaction, block: AgentFacingBlock, { actionId }: PendingAction): void {
  if (findCondition(tx, block) === undefined) return;
  const file = displayPath(tx.place, tx.state.name, getResultFile(actionId));
  throw new DevCliError('DATA_MISSING', 'This action needs its result: a condition of the recipe depends on it.', {
    fix: `Write it to ${file}, then run the acknowledgement as printed.`,
  });
}

/** Returns the file for an agent's report, relative to the run's directory. */
export function getResultFile(actionId: string): string {
  return `actions/${actionId}/result.md`;
}

/**
 * Finds a condition that reads this block's result. Subagents are left out: they write reports, or their dispatch asks
 * for a result.
 */
function findCondition({ captured }: Transaction, block: AgentFacingBlock): string | undefined {
  if (BLOCK_KINDS[block.kind].by === 'agents') return undefined;
  return findResultReader(captured.recipe.blocks, block.id);
}
