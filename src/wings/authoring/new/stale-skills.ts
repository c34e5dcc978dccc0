import type { CapturedRecipe } from '../../../recipe/captured.js';
import { loadRecipeFile } from '../../../recipe/load/load.js';
import { listRecipeFiles } from '../../../recipe/load/recipe-files.js';
import type { ReadContext } from '../../../run/context.js';
import { followsRecipe, locateSkill, renderSkill } from './skill.js';

/** An unedited skill of `recipe new` that no longer matches its recipe. */
export interface StaleSkill {
  /** Relative to the root. */
  path: string;
  /** The text that the skill should have. */
  text: string;
}

/**
 * Finds the stale skills of a recipe (authoring.md, recipe new).
 * @param directories the directories where harnesses look for a project's skills, relative to the root
 * @throws DevCliError `IO`
 */
export function listStaleSkills(
  { library, root }: ReadContext,
  captured: CapturedRecipe,
  directories: readonly string[],
): StaleSkill[] {
  const { name } = captured.workflow ?? captured.recipe;
  const following = directories
    .map((directory) => locateSkill(directory, name))
    .map((path) => ({ path, present: library.reader.read(`${root}/${path}`) }))
    .filter(({ present }) => present !== null && followsRecipe(present));
  if (following.length === 0) return [];
  const text = renderSkill(library, captured);
  return following.filter(({ present }) => present !== text).map(({ path }) => ({ path, text }));
}

/**
 * Finds all stale skills in a directory where a harness looks for a project's skills; skips recipes with errors.
 * @param directory relative to the root
 * @throws DevCliError `IO`, `PREFERENCES_INVALID`
 */
export function listAllStaleSkills(context: ReadContext, directory: string): StaleSkill[] {
  const { library, root } = context;
  const names = library.reader.list(`${root}/${directory}`);
  const following = names.filter((name) => {
    const text = library.reader.read(`${root}/${locateSkill(directory, name)}`);
    return text !== null && followsRecipe(text);
  });
  const recipes = following.length === 0 ? [] : listRecipeFiles(library);
  return following.flatMap((name) => {
    const found = recipes.find((one) => one.name === name);
    const { captured } = found === undefined ? { captured: null } : loadRecipeFile(library, found.path);
    return captured === null ? [] : listStaleSkills(context, captured, [directory]);
  });
}
