import { defined } from '../../base/defined.js';
import type { ChoiceTarget, Program, ProgramBlock } from '../../machine/program.js';
import type { ResolvedBlock } from '../resolved.js';

/** Builds what the machine needs of a recipe: no text for agents, no documents (recipes.md §5). */
export function buildProgram(blocks: readonly ResolvedBlock[]): Program {
  return { blocks: blocks.map(buildProgramBlock) };
}

function buildProgramBlock(block: ResolvedBlock): ProgramBlock {
  return {
    id: block.id,
    kind: block.kind,
    ...(block.kind === 'cli' && block.standsForInit ? { standsForInit: true } : {}),
    ...defined({ when: block.when }),
    ...('maxRounds' in block && block.maxRounds !== undefined && block.kind !== 'subagent'
      ? { maxRounds: block.maxRounds }
      : {}),
    ...('revise' in block && block.revise !== undefined ? { revise: block.revise } : {}),
    asksUser: 'asks' in block && block.asks === 'user',
    choices: 'choices' in block ? block.choices.map(({ id, goto }) => ({ id, target: toTarget(goto) })) : [],
    onError: block.onError,
  };
}

function toTarget(goto: string): ChoiceTarget {
  return goto === 'next' || goto === 'halt' ? { kind: goto } : { kind: 'goto', block: goto };
}
