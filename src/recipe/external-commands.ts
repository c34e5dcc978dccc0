import type { CapturedRecipe, ResolvedRecipe } from './resolved.js';

/** The external commands of a recipe as argument vectors, in order; a shell line as `sh -c LINE`. */
export function listExternalCommands(recipe: Pick<ResolvedRecipe, 'blocks' | 'engine'>): string[][] {
  const commands = [
    ...recipe.blocks.flatMap((block) =>
      'command' in block && block.command?.kind === 'external' ? [block.command.command] : [],
    ),
    ...Object.values(recipe.engine?.handlers ?? {}).flatMap(({ command }) => command ?? []),
  ];
  return commands.map(({ argv, shell }) => (shell ? ['sh', '-c', ...argv] : argv));
}

/** The same of all that was captured: of a workflow those of every phase. */
export function listAllExternalCommands({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string[][] {
  return (workflow?.phases ?? [{ recipe }]).flatMap((phase) => listExternalCommands(phase.recipe));
}

/**
 * Those of them that stand in files of the project: they must be trusted before they run (protocol.md §4). A project's
 * workflow of shipped recipes has none; a shipped workflow has, where a recipe of the project took the place of a phase's.
 */
export function listCommandsToTrust({ sources, recipe, workflow }: CapturedRecipe): string[][] {
  const shipped = (file: string | undefined) => sources.find(({ path }) => path === file)?.shipped === true;
  if (workflow === undefined) return shipped(sources[0]?.path) ? [] : listExternalCommands(recipe);
  return workflow.phases.flatMap((phase) => (shipped(phase.source) ? [] : listExternalCommands(phase.recipe)));
}
