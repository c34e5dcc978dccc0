import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import { prepareCondition } from '../../../recipe/conditions/conditions.js';
import { listNamePaths, usesWhole } from '../../../recipe/conditions/paths.js';
import { listRootNames } from '../../../recipe/conditions/text.js';
import { needsPerson } from '../../../recipe/declared.js';
import { findExternalCommand } from '../../../recipe/external-commands.js';
import type { ResolvedBlock } from '../../../recipe/resolved.js';
import { WHOLE } from './candidates.js';

/** Determines who decides the values that a condition reads (authoring.md, Verify). */

/**
 * Names in conditions that agents cannot change: values that the user sets when a run begins, and words of the
 * language.
 */
const OF_THE_USER = ['mode', 'vars', 'preferences', 'goal', 'true', 'false', 'null', 'in'];

/**
 * Returns whether agents determine a value. They do not determine what the user said at the beginning, what a person
 * chose at a gate for people, or the result of a command that dev-cli itself ran.
 * @param path the names that lead to the value
 * @param blocks the blocks of the condition's recipe
 * @param getValue called only if the result depends on the value
 */
export function isSetByAgents(
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
  // Skipping a block leaves its values unset, so whoever decides about skipping decides about them.
  const isLeftOut = () => {
    // Excludes the block itself, because conditions may refer to each other.
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
  // Only the command can end the loop as done; any agent can fail it with `step fail`.
  return value === 'failed' || (value === 'skipped' && isLeftOut());
}

/** Returns whether agents can make a condition false, regardless of its current values. */
function isDecidedByAgents(condition: string, blocks: readonly ResolvedBlock[]): boolean {
  const others = [...listRootNames(condition)].filter((name) => !OF_THE_USER.includes(name));
  if (others.some((name) => name !== 'blocks')) return true;
  if (others.length === 0) return false;
  const { ast } = prepareCondition(condition);
  if (usesWhole(ast, 'blocks')) return true;
  return listNamePaths(ast).some(
    (path) => path[0] === 'blocks' && POSSIBLE.some((value) => isSetByAgents(path, blocks, () => value)),
  );
}

/** The values for which `isSetByAgents` may give different results. */
const POSSIBLE = [null, 'done', 'failed', 'skipped'];

/** Renders a value's name as in a condition. */
export function renderValueName([root = '', ...names]: readonly string[]): string {
  if (root === WHOLE) return `\`${names.join()}\``;
  const isKeyed = root === 'blocks' || root === 'agents';
  const [id, ...members] = isKeyed ? names : ['', ...names];
  return `\`${[isKeyed ? `${root}["${id}"]` : root, ...members].join('.')}\``;
}
