import type { ResolvedBlock } from '../recipe/resolved.js';
import type { Transaction } from '../run/transaction.js';
import { isLeftOut } from './left-out.js';
import { isSkipped, isWithout } from './passed-over.js';
import { fillPath } from './values.js';

/**
 * Fills the placeholders of paths that a block or its agents shall read, and leaves out what only skipped blocks and agents
 * would have written (recipes.md, Instructions).
 * @throws DevCliError as `fillPath`
 */
export function listReadable(tx: Transaction, paths: readonly string[], block: string): string[] {
  const filled = paths.map((path) => fillPath(tx, path, block));
  if (filled.length === 0 || !tx.captured.recipe.blocks.some((one) => isPassedOver(tx, one))) return filled;
  return filled.filter((path) => !isLeftOut(tx, path));
}

function isPassedOver({ state }: Transaction, block: ResolvedBlock): boolean {
  if (isSkipped(state, block)) return true;
  return 'agents' in block && block.agents.some(({ id, when }) => when !== undefined && isWithout(state, block, id));
}
