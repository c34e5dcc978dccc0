import type { ResolvedRecipe } from './resolved.js';

/** Returns the id of the block that says how large the work is; null where none does. */
export function findClassifier({ blocks }: Pick<ResolvedRecipe, 'blocks'>): string | null {
  return blocks.find((block) => 'schema' in block && block.schema === 'size')?.id ?? null;
}
