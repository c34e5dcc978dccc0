import { omitUndefined } from '../../base/defined.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import type { ChoiceTarget, Program, ProgramBlock } from '../../machine/program.js';
import { standsForInit } from '../declared.js';
import type { ResolvedBlock } from '../resolved.js';

/**
 * Builds the part of a recipe that the state machine needs. It contains no texts for agents and no names of documents
 * (recipes.md §5).
 */
export function buildProgram(blocks: readonly ResolvedBlock[]): Program {
  return { blocks: blocks.map(buildProgramBlock) };
}

function buildProgramBlock(block: ResolvedBlock): ProgramBlock {
  return {
    id: block.id,
    kind: block.kind,
    ...(standsForInit(block) ? { standsForInit: true } : {}),
    ...omitUndefined({ when: block.when }),
    ...('maxRounds' in block && block.maxRounds !== undefined && leadsBack(block)
      ? { maxRounds: block.maxRounds }
      : {}),
    ...('revise' in block && block.revise !== undefined ? { revise: block.revise } : {}),
    asksUser: 'asks' in block && block.asks === 'user',
    choices: 'choices' in block ? block.choices.map(({ id, goto }) => ({ id, target: toTarget(goto) })) : [],
    onError: block.onError,
  };
}

/**
 * Whether `maxRounds` limits anything in this block: it runs in rounds, offers choices, or can go back to an earlier
 * block.
 */
function leadsBack(block: ResolvedBlock): boolean {
  return BLOCK_KINDS[block.kind].loops || 'choices' in block || 'revise' in block;
}

function toTarget(goto: string): ChoiceTarget {
  return goto === 'next' || goto === 'halt' ? { kind: goto } : { kind: 'goto', block: goto };
}
