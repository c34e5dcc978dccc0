import { listBlockTemplates } from './blocks/block-forms.js';
import { listRootNames } from './conditions/text.js';
import type { ResolvedHandler, ResolvedRecipe } from './resolved.js';
import { listPlaceholders } from './template.js';

/** Lists every text of a resolved recipe that may hold placeholders, in order. */
export function listTemplates(recipe: Pick<ResolvedRecipe, 'blocks' | 'cleanup' | 'engine'>): string[] {
  const handlers = Object.values(recipe.engine?.handlers ?? {});
  return [...recipe.blocks.flatMap(listBlockTemplates), ...handlers.flatMap(listHandlerTemplates), ...recipe.cleanup];
}

/** Whether any of these texts or conditions may read the block's data (recipes.md, Conditions). */
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
