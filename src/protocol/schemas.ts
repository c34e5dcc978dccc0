import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { SECTION_IDS } from '../documents/sections.js';
import { listRecipeFiles } from '../recipe/load/recipe-files.js';
import type { ReadContext } from '../run/context.js';

/** `schema <document>`, `recipe schema`: prints a JSON Schema that ships in schemas/ (protocol.md §5). */
export async function showSchema(context: ReadContext, name: string): Promise<Answer> {
  const text = context.reader.read(`${context.library.shipped}/schemas/${name}.schema.json`);
  if (text === null) throw new DevCliError('INTERNAL', `The schema "${name}" is missing from this installation.`);
  return { exit: 0, json: JSON.parse(text) as object, text: () => text };
}

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
