import type { Answer } from '../base/answer.js';
import { lintRecipesCommand } from '../protocol/recipes.js';
import type { Context } from '../run/context.js';
import { listAllStaleSkills, listStaleSkills } from '../wings/authoring/new/stale-skills.js';
import { HARNESSES } from '../wings/harness/harness.js';
import { type InstallInput, install } from '../wings/harness/install/install.js';

/** Commands that know of the skills that follow recipes: where these lie harnesses know, what they say the author's room does. */

/** `recipe lint`, with a warning where a skill is stale. Parameters and errors as for `lintRecipesCommand`. */
export function lintRecipes(context: Context, files: readonly string[], cwd: string): Promise<Answer> {
  const directories = Object.values(HARNESSES).map(({ skills }) => skills);
  return lintRecipesCommand(context, files, cwd, (captured) =>
    listStaleSkills(context, captured, directories).map(({ path }) => path),
  );
}

/** `install`, which renews stale skills. Errors as for `install`. */
export function installAll(context: Context, input: InstallInput): Promise<Answer> {
  return install(context, input, (directory) => listAllStaleSkills(context, directory));
}
