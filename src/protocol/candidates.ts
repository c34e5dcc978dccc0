import type { Answer } from '../base/answer.js';
import { SECTION_IDS } from '../documents/sections.js';
import { listRecipeFiles } from '../recipe/load/recipe-files.js';
import type { ReadContext } from '../run/context.js';

/**
 * `completion --candidates`: one value a line, for completion scripts. Never fails, because an error message in the
 * middle of a completion is worse than no candidates.
 * @param kind `name`, `recipe` or `section`
 */
export async function listCandidates(context: ReadContext, kind: string): Promise<Answer> {
  const values = await findCandidates(context, kind).catch(() => []);
  return { exit: 0, json: { candidates: values }, text: () => values.join('\n') };
}

async function findCandidates(context: ReadContext, kind: string): Promise<string[]> {
  switch (kind) {
    case 'name':
      return context.store.streams();
    case 'recipe':
      return [...new Set(listRecipeFiles(context.library).map(({ name }) => name))];
    case 'section':
      return [...SECTION_IDS];
    default:
      return [];
  }
}
