import type { ResolvedRecipe } from '../recipe/resolved.js';

/**
 * What is known per block, as pairs in the order of the recipe: a snapshot keeps its keys by the alphabet, and a reader
 * wants them in the order of the work. Keys that are no block of the recipe are left out.
 */
export function sortByRecipe<T>(recipe: ResolvedRecipe, perBlock: Record<string, T>): [id: string, value: T][] {
  return recipe.blocks.flatMap(({ id }): [string, T][] => {
    const value = Object.hasOwn(perBlock, id) ? perBlock[id] : undefined;
    return value === undefined ? [] : [[id, value]];
  });
}
