import { listRootNames } from './conditions/text.js';
import { makesPlan } from './own-commands.js';
import type { ResolvedRecipe } from './resolved.js';
import { listPlaceholders } from './template.js';
import { listConditions, listTemplates } from './texts.js';

/** Whether it makes a difference to a run of the recipe how large the work is (recipes.md, Size). */
export function knowsSize(recipe: ResolvedRecipe): boolean {
  if (recipe.type !== 'sequential') return false;
  return (
    makesPlan(recipe) ||
    findClassifier(recipe) !== null ||
    listConditions(recipe).some(readsSize) ||
    listTemplates(recipe).some((text) => listPlaceholders(text).some(({ key }) => key === 'size'))
  );
}

/** Returns the id of the block that says how large the work is; null where none does. */
export function findClassifier({ blocks }: Pick<ResolvedRecipe, 'blocks'>): string | null {
  return blocks.find((block) => 'schema' in block && block.schema === 'size')?.id ?? null;
}

/** Whether a condition reads `size`, which is also the name of a function. */
function readsSize(source: string): boolean {
  return listRootNames(source.replace(/\bsize\s*\(/g, '(')).has('size');
}
