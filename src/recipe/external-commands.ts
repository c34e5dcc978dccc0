import type { ResolvedRecipe } from './resolved.js';

/**
 * The external commands of a recipe as argument vectors, in order; a shell line as `sh -c LINE`. A project's recipe that
 * has any must be trusted before it runs (protocol.md §4).
 */
export function externalCommands(recipe: Pick<ResolvedRecipe, 'blocks' | 'engine'>): string[][] {
  const commands = [
    ...recipe.blocks.flatMap((block) =>
      'command' in block && block.command?.kind === 'external' ? [block.command.command] : [],
    ),
    ...Object.values(recipe.engine?.handlers ?? {}).flatMap(({ command }) => command ?? []),
  ];
  return commands.map(({ argv, shell }) => (shell ? ['sh', '-c', ...argv] : argv));
}
