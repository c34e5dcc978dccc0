import type { SectionId } from '../documents/sections.js';
import { listSectionWriters } from '../recipe/resolve/draft.js';
import type { ResolvedBlock, ResolvedRecipe } from '../recipe/resolved.js';
import { isSkipped, isWithout } from '../run/facts.js';
import type { RecipeState } from '../run/recipe-state.js';

/**
 * Lists the sections of DRAFT.md that a run needs filled: what its recipe requires, but for a section whose every writer was
 * skipped (documents.md, draft validate).
 */
export function listRequiredSections(
  { draft, blocks }: Pick<ResolvedRecipe, 'draft' | 'blocks'>,
  current: Pick<RecipeState, 'steps' | 'agents'>,
): SectionId[] {
  const skipped = blocks.filter((block) => hasNobody(current, block)).map(({ id }) => id);
  if (skipped.length === 0) return draft.required;
  return draft.required.filter((section) => {
    const writers = listSectionWriters(blocks, draft.required, section);
    return writers.length === 0 || !writers.every((id) => skipped.includes(id));
  });
}

/** Whether a block was skipped, or of its agents all. */
function hasNobody(current: Pick<RecipeState, 'steps' | 'agents'>, block: ResolvedBlock): boolean {
  if (isSkipped(current, block)) return true;
  return 'agents' in block && block.agents.every(({ id }) => isWithout(current, block, id));
}
