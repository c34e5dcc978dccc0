import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import { prepareCondition } from '../../../recipe/conditions/conditions.js';
import { listPaths, usesWhole } from '../../../recipe/conditions/paths.js';
import { listRootNames } from '../../../recipe/conditions/text.js';
import { needsPerson } from '../../../recipe/declared.js';
import { findExternalCommand } from '../../../recipe/external-commands.js';
import type { ResolvedBlock } from '../../../recipe/resolved.js';
import { WHOLE } from './candidates.js';

/** Who decides what a condition looks at (authoring.md, Verify). */

/** What only whoever begins a run decides. */
const OF_THE_USER = ['mode', 'vars', 'preferences', 'goal', 'true', 'false', 'null', 'in'];

/**
 * Whether it is an agent's word that a value is what it is. What the user said at the beginning, what a person chose at a gate
 * that is for a person, and what a command came to that dev-cli itself has run are no agent's word.
 * @param path the names that lead to the value
 * @param blocks of the recipe that the condition is in
 * @param getValue is asked only where it matters which value it is
 */
export function isSaidByAgents(
  [root = '', id = '', member]: readonly string[],
  blocks: readonly ResolvedBlock[],
  getValue: () => unknown,
): boolean {
  if (root === WHOLE) return isDecidedByAgents(id, blocks);
  if (OF_THE_USER.includes(root)) return false;
  const block = root === 'blocks' ? blocks.find((one) => one.id === id) : undefined;
  return block === undefined || isOpen(block, member, blocks, getValue);
}

function isOpen(
  block: ResolvedBlock,
  member: string | undefined,
  blocks: readonly ResolvedBlock[],
  getValue: () => unknown,
): boolean {
  // Whoever decides that a block is skipped decides what it has not said.
  const isLeftOut = () => {
    // Without the block itself: conditions may look at each other.
    const others = blocks.filter((one) => one !== block);
    return block.when !== undefined && isDecidedByAgents(block.when, others);
  };
  if (needsPerson(block)) return member !== 'choice' || (getValue() === null && isLeftOut());
  if (findExternalCommand(block) === null) return true;
  if (BLOCK_KINDS[block.kind].by === 'cli') {
    if (member !== 'exit' && member !== 'status') return true;
    const value = getValue();
    return (value === null || value === 'skipped') && isLeftOut();
  }
  if (member !== 'status' || ('asks' in block && block.asks === 'user')) return true;
  const value = getValue();
  // Only the command ends the loop as done; anybody can fail it with `step fail`.
  return value === 'failed' || (value === 'skipped' && isLeftOut());
}

/** Whether an agent's word can make a condition false, whatever is known where it is asked. */
function isDecidedByAgents(condition: string, blocks: readonly ResolvedBlock[]): boolean {
  const others = [...listRootNames(condition)].filter((name) => !OF_THE_USER.includes(name));
  if (others.some((name) => name !== 'blocks')) return true;
  if (others.length === 0) return false;
  const { ast } = prepareCondition(condition);
  if (usesWhole(ast, 'blocks')) return true;
  return listPaths(ast).some(
    (path) => path[0] === 'blocks' && POSSIBLE.some((value) => isSaidByAgents(path, blocks, () => value)),
  );
}

/** What makes a difference to `isOpen`. */
const POSSIBLE = [null, 'done', 'failed', 'skipped'];

/** Names a value as a condition does. */
export function nameValue([root = '', ...names]: readonly string[]): string {
  if (root === WHOLE) return `\`${names.join()}\``;
  const isKeyed = root === 'blocks' || root === 'agents';
  const [id, ...members] = isKeyed ? names : ['', ...names];
  return `\`${[isKeyed ? `${root}["${id}"]` : root, ...members].join('.')}\``;
}
