import { listRootNames } from './conditions/text.js';
import type { ResolvedBlock, ResolvedHandler, ResolvedRecipe } from './resolved.js';
import { listPlaceholders } from './template.js';

/** Lists every text of a resolved recipe that may hold placeholders, in order. */
export function listTemplates(recipe: Pick<ResolvedRecipe, 'blocks' | 'cleanup' | 'engine'>): string[] {
  const handlers = Object.values(recipe.engine?.handlers ?? {});
  return [...recipe.blocks.flatMap(listBlockTemplates), ...handlers.flatMap(listHandlerTemplates), ...recipe.cleanup];
}

/** Whether one of these texts or conditions may read the data of a block (recipes.md, Conditions). */
export function isBlockRead(block: string, templates: readonly string[], conditions: readonly string[]): boolean {
  const key = `blocks.${block}.data.`;
  return (
    conditions.some((source) => source.includes(block) && listRootNames(source).has('blocks')) ||
    templates.some((text) => listPlaceholders(text).some((found) => `${found.key}.`.startsWith(key)))
  );
}

/** Whether any of these texts or conditions uses the goal. */
export function namesGoal(templates: readonly string[], conditions: readonly string[]): boolean {
  return (
    templates.some((text) => listPlaceholders(text).some(({ key }) => key === 'goal')) ||
    conditions.some((source) => listRootNames(source).has('goal'))
  );
}

function listHandlerTemplates({ prompt, command, message }: ResolvedHandler): string[] {
  const texts = [prompt, message, ...(command === undefined ? [] : [...command.argv, command.cwd])];
  return texts.filter((text) => text !== undefined);
}

/** Lists every text of a block that may hold placeholders. */
export function listBlockTemplates(block: ResolvedBlock): string[] {
  const texts: (string | undefined)[] = [];
  if ('read' in block) texts.push(block.instruction, block.instructionText, ...block.read, ...block.consult);
  if ('command' in block && block.command !== undefined) {
    const { kind, command } = block.command;
    texts.push(...(kind === 'own' ? listStrings(command.input) : [...command.argv, command.cwd]));
  }
  if ('save' in block) texts.push(...listStrings(block.save?.input));
  if ('exitCheck' in block) texts.push(...listStrings(block.exitCheck?.input));
  if ('exitCommand' in block) texts.push(...(block.exitCommand?.argv ?? []), block.exitCommand?.cwd);
  if ('onComplete' in block) texts.push(...listStrings(block.onComplete?.input));
  if ('agents' in block) {
    for (const { prompt, promptHint, output, readsFrom } of block.agents)
      texts.push(prompt, promptHint, output, ...readsFrom);
  }
  if (block.kind === 'llm+cli') texts.push(block.write);
  if (block.kind === 'wait-for-user') texts.push(block.message, block.artifact);
  if ('choices' in block) texts.push(...block.choices.map(({ label }) => label));
  return texts.filter((text) => text !== undefined);
}

function listStrings(input: object | undefined): string[] {
  return Object.values(input ?? {}).filter((value) => typeof value === 'string');
}
