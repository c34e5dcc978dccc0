import type { ResolvedRecipe } from './resolved.js';

/**
 * The external commands of a recipe as argument vectors, in order; a shell line as `sh -c LINE`. A project's recipe that
 * has any must be trusted before it runs (protocol.md §4).
 */
export function externalCommands(recipe: Pick<ResolvedRecipe, 'blocks'>): string[][] {
  return recipe.blocks.flatMap((block) => {
    if (!('command' in block) || block.command?.kind !== 'external') return [];
    const { argv, shell } = block.command.command;
    return [shell ? ['sh', '-c', ...argv] : argv];
  });
}
