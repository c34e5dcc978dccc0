// shared: common

import { BLOCK_KINDS } from '../machine/block-kinds.js';
import { DEFAULT_ARTIFACTS } from './declared.js';
import { listOwnCommands } from './own-commands.js';
import type { ResolvedBlock, ResolvedRecipe } from './resolved.js';

/** Finds out which documents the blocks of a recipe write. */

/** A document that a block writes. */
export interface BlockWrite {
  /** Relative to the run's directory, with placeholders not filled. */
  path: string;
  /** The conditions of the block and the agent, all of which must hold for the document to be written. */
  when: string[];
  /** What must have happened besides: `ID succeeded`, if the run continues even when the block `ID` fails. */
  unsure: string[];
  /** The id of the agent that writes it. */
  agent?: string;
}

/** Lists the documents that a block writes. */
export function listBlockWrites(block: ResolvedBlock): BlockWrite[] {
  const when = block.when === undefined ? [] : [block.when];
  const isUnsure = block.onError.kind === 'continue' && BLOCK_KINDS[block.kind].onError !== 'continue';
  const unsure = isUnsure ? [`${block.id} succeeded`] : [];
  const agents = 'agents' in block ? block.agents : [];
  return [
    ...agents.flatMap(({ id, output, when: own }) =>
      output === undefined
        ? []
        : [{ path: output, when: [...when, ...(own === undefined ? [] : [own])], unsure: [], agent: id }],
    ),
    ...('write' in block ? [{ path: block.write, when, unsure }] : []),
    ...listOwnCommands(block)
      .flatMap(({ command }) => listCommandOutputs(command.command, command.input))
      .map((path) => ({ path, when, unsure })),
  ];
}

function listCommandOutputs(command: string, input: Record<string, unknown>): string[] {
  if (command === 'plan generate') return ['PLAN.md', 'plan-content.json'];
  if (command === 'cleanup') return ['summary.md'];
  if (command === 'analysis save' && typeof input['agent'] === 'string') return [`analysis/${input['agent']}.md`];
  return [];
}

/** Lists the `paths` that no block declares as output; an agent's instruction or a command may still produce them. */
export function listUnpromised(
  paths: readonly string[],
  recipes: readonly Pick<ResolvedRecipe, 'blocks' | 'usesDraft'>[],
): string[] {
  const promised = [
    ...DEFAULT_ARTIFACTS,
    ...recipes.flatMap(({ blocks, usesDraft }) => [
      ...(usesDraft ? ['DRAFT.md'] : []),
      ...blocks.flatMap((block) => listBlockWrites(block).map(({ path }) => path)),
    ]),
  ];
  return paths.filter((path) => !promised.some((pattern) => matchesPath(pattern, path)));
}

/** Whether `path` matches `pattern`: placeholders and wildcards match any text, `dir/` matches everything below it. */
export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  if (pattern.endsWith('/') && path.startsWith(pattern)) return true;
  if (!/[{*]/.test(pattern)) return false;
  const parts = pattern
    .split(/\{[a-z][A-Za-z0-9_.-]*\}|\*+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`, 's').test(path);
}

/** Whether a path is not in the run's directory: it is either relative to the root, or invalid (lint/text.ts). */
export function leavesRun(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}
