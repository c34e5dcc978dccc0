import type { OwnCommand, ResolvedBlock, ResolvedRecipe } from './resolved.js';

/** Lists the `dev-cli …` commands of a block, each with the field it is in. */
export function listOwnCommands(block: ResolvedBlock): { key: string; command: OwnCommand }[] {
  const found: { key: string; command: OwnCommand }[] = [];
  const add = (key: string, command: OwnCommand | undefined) => {
    if (command !== undefined) found.push({ key, command });
  };
  if ('command' in block && block.command?.kind === 'own') add('command', block.command.command);
  if ('save' in block) add('save', block.save);
  if ('exitCheck' in block) add('exitCheck', block.exitCheck);
  if ('onComplete' in block) add('onComplete', block.onComplete);
  return found;
}

/** Whether runs of the recipe write a plan. */
export function makesPlan({ blocks }: Pick<ResolvedRecipe, 'blocks'>): boolean {
  return blocks.some((block) => runsCommand(block, 'plan generate'));
}

/** Whether a block runs this command, in any of its fields. */
export function runsCommand(block: ResolvedBlock, command: string): boolean {
  return listOwnCommands(block).some((own) => own.command.command === command);
}

/** Returns the id of the block that classifies the size of the work; null if there is none. */
export function findClassifier({ blocks }: Pick<ResolvedRecipe, 'blocks'>): string | null {
  return blocks.find((block) => 'schema' in block && block.schema === 'size')?.id ?? null;
}
