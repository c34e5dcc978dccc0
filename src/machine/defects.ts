import { BLOCK_KINDS } from './block-kinds.js';
import type { Program, ProgramBlock } from './program.js';

const ID = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Returns whether a block works in rounds: a loop, or a command that leads back to an earlier block if it fails. */
export function isLoop({ kind, revise }: ProgramBlock): boolean {
  const { by, loops } = BLOCK_KINDS[kind];
  return loops || (by === 'cli' && revise !== undefined);
}

/**
 * Lists the defects that make a program unsafe to compile: ambiguous ids, jumps that lead forward or nowhere, loops
 * without a bound. Lint reports the same defects with file and line; this is the last check before the machine.
 */
export function listProgramDefects({ blocks }: Program): string[] {
  const index = new Map(blocks.map((block, at) => [block.id, at]));
  return blocks.flatMap((block, at) => [
    ...(index.get(block.id) === at ? [] : [`The id ${block.id} is used twice.`]),
    ...(ID.test(block.id) && !(block.id in {}) ? [] : [`${JSON.stringify(block.id)} cannot be an id.`]),
    ...(block.standsForInit && at > 0 ? [`${block.id} stands for init and is not the first block.`] : []),
    ...listBackTargets(block).flatMap((target) => {
      const found = index.get(target);
      if (found === undefined || found >= at)
        return [`${block.id} leads back to ${target}, which is no earlier block.`];
      return blocks[found]?.standsForInit ? [`${block.id} leads back to ${target}, which stands for init.`] : [];
    }),
    ...listBoundDefects(block),
    ...listChoiceDefects(block),
  ]);
}

/** Lists the blocks to which a block can lead back. */
export function listBackTargets(block: ProgramBlock): string[] {
  const gotos = block.choices.flatMap(({ target }) => (target.kind === 'goto' ? [target.block] : []));
  return block.revise === undefined ? gotos : [...gotos, block.revise];
}

function listBoundDefects(block: ProgramBlock): string[] {
  const { id, maxRounds, revise, onError } = block;
  const needed = isLoop(block) || listBackTargets(block).length > 0;
  return [
    ...(needed && !(Number.isInteger(maxRounds) && Number(maxRounds) >= 1)
      ? [`${id} needs a bound of 1 or more.`]
      : []),
    ...(revise !== undefined && !isLoop(block) ? [`${id} is no loop and has a revise.`] : []),
    ...(onError.kind === 'retry' && !(Number.isInteger(onError.max) && onError.max >= 0)
      ? [`${id} needs a whole number of retries.`]
      : []),
  ];
}

function listChoiceDefects({ id, choices }: ProgramBlock): string[] {
  const ids = new Set(choices.map((choice) => choice.id));
  return ids.size === choices.length ? [] : [`${id} offers a choice twice.`];
}
