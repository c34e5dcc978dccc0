// shared: common
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import type { ResolvedBlock } from '../resolved.js';
import { listBlockConditions, listRootNames } from './text.js';

/**
 * Finds the condition that reads the `result` that a block reports (recipes.md, Conditions): its own `exitWhen`, or one
 * in the blocks after it, up to the next block that reports.
 * @returns undefined if no condition reads it, or the block cannot report
 */
export function findResultReader(blocks: readonly ResolvedBlock[], id: string): string | undefined {
  const at = blocks.findIndex((block) => block.id === id);
  const block = blocks[at];
  if (block === undefined || !canReport(block)) return undefined;
  const reads = (condition: string | undefined) => condition !== undefined && listRootNames(condition).has('result');
  if ('exitWhen' in block && reads(block.exitWhen)) return block.exitWhen;
  const next = blocks.findIndex((later, index) => index > at && canReport(later));
  // The next block that reports may be a loop. Its `exitWhen` is left out, because it reads the loop's own report.
  const readers = blocks.slice(at + 1, next < 0 ? undefined : next + 1).flatMap((later, index) => {
    const all = listBlockConditions(later);
    return at + 1 + index === next && 'exitWhen' in later ? all.filter((one) => one !== later.exitWhen) : all;
  });
  return readers.find(reads);
}

/** Whether an agent can report a `result` at a block. At a block with choices, it reports a choice instead. */
export function canReport(block: ResolvedBlock): boolean {
  return BLOCK_KINDS[block.kind].reports && !('choices' in block && block.choices.length > 0);
}
