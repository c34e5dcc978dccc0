import type { HandlersOf } from '../../protocol/ports.js';
import type { AUTHORING_SPECS } from './specs.js';

/** What carries out the commands for authors of recipes. */
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
    (await import('./verify/command.js')).verifyRecipesCommand(context, recipes),
  'recipe graph': async (context, { recipe, ...input }, site) =>
    (await import('./graph/command.js')).graphRecipe(context, recipe, input, site),
  'recipe schema': async (context) => (await import('../../protocol/schemas.js')).showSchema(context, 'recipe'),
  schema: async (context, { schema: name }) => (await import('../../protocol/schemas.js')).showSchema(context, name),
};
