import type { HandlersOf } from '../../protocol/ports.js';
import type { RecipeTools } from './ci/recipes.js';
import type { PAGE_SPECS } from './specs.js';

/** What carries the commands out. @param tools of the wing that knows recipes */
export const createHandlers = (tools: RecipeTools): HandlersOf<typeof PAGE_SPECS> => ({
  ci: async (context, input, call) => (await import('./ci/ci.js')).checkProject(context, input, call, tools),
});
