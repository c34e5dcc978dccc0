// door: plan

import { listInherited } from '../recipe/declared.js';
import type { ResolvedBlock } from '../recipe/resolved.js';
import { type BlockWrite, listBlockWrites, matchesPath } from '../recipe/writes.js';
import { isSkipped, isWithout } from '../run/facts.js';
import type { Transaction } from '../run/transaction.js';
import { fillPlaceholders } from './values/values.js';

/**
 * Whether a document must not be read because every block or agent that writes it was skipped (recipes.md,
 * Instructions): a file at that path then comes from an earlier run.
 * @param path relative to the run's directory
 */
export function isLeftOut(tx: Transaction, path: string): boolean {
  const { recipe } = tx.captured;
  if (listInherited(recipe).includes(path)) return false;
  const writers = recipe.blocks.flatMap((block) =>
    listBlockWrites(block)
      .filter((write) => writes(tx, block, write, path))
      .map(({ agent }) => isSkipped(tx.state, block) || (agent !== undefined && isWithout(tx.state, block, agent))),
  );
  return writers.length > 0 && writers.every((skipped) => skipped);
}

function writes(tx: Transaction, block: ResolvedBlock, write: BlockWrite, path: string): boolean {
  const filled = fillPlaceholders(tx, write.path, block.id);
  return matchesPath(filled, path) || matchesPath(path, filled) || matchesPath(write.path, path);
}
