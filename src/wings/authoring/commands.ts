import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { HandlersOf } from '../../protocol/ports.js';
import type { ReadContext } from '../../run/context.js';
import type { AUTHORING_SPECS } from './specs.js';

/** Handlers of the commands for authors of recipes. */
export const HANDLERS: HandlersOf<typeof AUTHORING_SPECS> = {
  'recipe list': async (context) => (await import('./recipes.js')).listRecipesCommand(context),
  'recipe show': async (context, { recipe }) => (await import('./recipes.js')).showRecipeCommand(context, recipe),
  'recipe new': async (context, { recipe, ...input }) =>
    (await import('./new/new-recipe.js')).createRecipe(context, recipe, input, await context.ports.skills()),
  'recipe lint': async (context, { files = [] }, { cwd }) =>
    (await import('./recipes.js')).lintRecipesCommand(context, files, cwd, (await context.ports.skills()).listAll()),
  'recipe simulate': async (context, { recipe, ...input }, { cwd }) =>
    (await import('./simulate.js')).simulate(context, recipe, input, cwd),
  'recipe test': async (context, { files = [], ...input }, { cwd }) =>
    (await import('./tests/run.js')).runTests(context, files, input, cwd),
  'recipe verify': async (context, { recipes }) =>
    (await import('./verify/verify.js')).verifyRecipesCommand(context, recipes),
  'recipe graph': async (context, { recipe, ...input }, site) =>
    (await import('./graph/command.js')).graphRecipe(context, recipe, input, site),
  'recipe schema': (context) => showSchema(context, 'recipe'),
  schema: (context, { schema: name }) => showSchema(context, name),
};

/** `schema <document>`, `recipe schema`: prints a JSON Schema from schemas/ (protocol.md §5). */
async function showSchema(context: ReadContext, name: string): Promise<Answer> {
  const text = context.reader.read(`${context.library.shipped}/schemas/${name}.schema.json`);
  if (text === null) throw new DevCliError('INTERNAL', `The schema "${name}" is missing from this installation.`);
  return { exit: 0, json: JSON.parse(text) as object, text: () => text };
}
