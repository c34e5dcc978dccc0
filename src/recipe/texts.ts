import type { ResolvedBlock, ResolvedRecipe } from './resolved.js';

/** Every text of a resolved recipe that may hold placeholders, in order. */
export function templatesOf(recipe: Pick<ResolvedRecipe, 'blocks' | 'cleanup'>): string[] {
  return [...recipe.blocks.flatMap(templatesOfBlock), ...recipe.cleanup];
}

/** Every condition of a resolved recipe, in order. */
export function conditionsOf(recipe: Pick<ResolvedRecipe, 'blocks'>): string[] {
  return recipe.blocks.flatMap((block) => [
    ...(block.when === undefined ? [] : [block.when]),
    ...('exitWhen' in block && block.exitWhen !== undefined ? [block.exitWhen] : []),
    ...('agents' in block ? block.agents.flatMap(({ when }) => when ?? []) : []),
  ]);
}

function templatesOfBlock(block: ResolvedBlock): string[] {
  const texts: (string | undefined)[] = [];
  if (block.kind !== 'cli') texts.push(block.instruction, block.instructionText, ...block.read, ...block.consult);
  if ('command' in block && block.command !== undefined) {
    const { kind, command } = block.command;
    texts.push(...(kind === 'own' ? strings(command.input) : [...command.argv, command.cwd]));
  }
  if ('save' in block) texts.push(...strings(block.save?.input));
  if ('exitCheck' in block) texts.push(...strings(block.exitCheck?.input));
  if ('onComplete' in block) texts.push(...strings(block.onComplete?.input));
  if ('agents' in block) {
    for (const { prompt, promptHint, output, readsFrom } of block.agents)
      texts.push(prompt, promptHint, output, ...readsFrom);
  }
  if (block.kind === 'llm+cli') texts.push(block.write);
  if (block.kind === 'wait-for-user') texts.push(block.message, block.artifact);
  if ('choices' in block) texts.push(...block.choices.map(({ label }) => label));
  return texts.filter((text) => text !== undefined);
}

function strings(input: object | undefined): string[] {
  return Object.values(input ?? {}).filter((value) => typeof value === 'string');
}
