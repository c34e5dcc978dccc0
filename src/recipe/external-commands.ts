import type { CapturedRecipe } from './captured.js';
import type { ExternalCommand, ResolvedBlock, ResolvedRecipe } from './resolved.js';

/**
 * Finds a block's external command and the field it is in; null if there is none. Such a command may write any file.
 */
export function findExternalCommand(block: ResolvedBlock): { key: string; command: ExternalCommand } | null {
  if ('command' in block && block.command?.kind === 'external')
    return { key: 'command', command: block.command.command };
  if (!('exitCommand' in block) || block.exitCommand === undefined) return null;
  return { key: 'exitCheck', command: block.exitCommand };
}

/** Lists a recipe's external commands in order, as argument vectors; a shell line becomes `sh -c LINE`. */
export function listExternalCommands(recipe: Pick<ResolvedRecipe, 'blocks' | 'engine'>): string[][] {
  const commands = [
    ...recipe.blocks.flatMap((block) => findExternalCommand(block)?.command ?? []),
    ...Object.values(recipe.engine?.handlers ?? {}).flatMap(({ command }) => command ?? []),
  ];
  return commands.map(({ argv, shell }) => (shell ? ['sh', '-c', ...argv] : argv));
}

/** Lists the external commands of a whole captured recipe: for a workflow, those of every phase. */
export function listAllExternalCommands({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string[][] {
  return (workflow?.phases ?? [{ recipe }]).flatMap((phase) => listExternalCommands(phase.recipe));
}

/**
 * Lists the external commands that must be trusted before they run: those of recipes that are not shipped (protocol.md
 * §4). A phase is judged by its own recipe's file, whether or not the workflow around it is shipped.
 */
export function listCommandsToTrust({ sources, recipe, workflow }: CapturedRecipe): string[][] {
  const shipped = (file: string | undefined) => sources.find(({ path }) => path === file)?.shipped === true;
  if (workflow === undefined) return shipped(sources[0]?.path) ? [] : listExternalCommands(recipe);
  return workflow.phases.flatMap((phase) => (shipped(phase.source) ? [] : listExternalCommands(phase.recipe)));
}
