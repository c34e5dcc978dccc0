import type { OwnCommand, ResolvedBlock, ResolvedRecipe } from './resolved.js';

/** Every `dev-cli …` command of a block with the key it stands under. */
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

/** Whether a run of the recipe writes a plan. */
export function makesPlan({ blocks }: Pick<ResolvedRecipe, 'blocks'>): boolean {
  return blocks.some((block) => runsCommand(block, 'plan generate'));
}

/** Whether a block runs this command, wherever it stands in it. */
export function runsCommand(block: ResolvedBlock, command: string): boolean {
  return listOwnCommands(block).some((own) => own.command.command === command);
}
