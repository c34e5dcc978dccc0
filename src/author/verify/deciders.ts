import { listPaths, usesWhole } from '../../recipe/condition-paths.js';
import { listRootNames } from '../../recipe/condition-text.js';
import { prepareCondition } from '../../recipe/conditions.js';
import type { ResolvedBlock } from '../../recipe/resolved.js';
import { runsOutside } from './subject.js';

/** Who decides what a condition looks at (authoring.md, Verify). */

/** What only whoever begins a run decides. */
const OF_THE_USER = ['mode', 'vars', 'preferences', 'goal', 'true', 'false', 'null', 'in'];

/**
 * Whether an agent's word can make a condition false. What the user said at the beginning, what a person chose at a gate that is
 * for a person, and how a command ended that dev-cli itself has run are no agent's word.
 * @param blocks of the recipe that the condition is in
 */
export function isDecidedByAgents(condition: string, blocks: readonly ResolvedBlock[]): boolean {
  const others = [...listRootNames(condition)].filter((name) => !OF_THE_USER.includes(name));
  if (others.some((name) => name !== 'blocks')) return true;
  if (others.length === 0) return false;
  const { ast } = prepareCondition(condition);
  if (usesWhole(ast, 'blocks')) return true;
  return listPaths(ast).some(([root, id, field]) => {
    if (root !== 'blocks') return false;
    const block = blocks.find((one) => one.id === id);
    return block === undefined || !isBeyondAgents(block, field);
  });
}

function isBeyondAgents(block: ResolvedBlock, field: string | undefined): boolean {
  if (block.kind === 'wait-for-user') return block.human && field === 'choice';
  return block.kind === 'cli' && runsOutside(block) && (field === 'exit' || field === 'status');
}
