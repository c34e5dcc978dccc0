import type { CapturedRecipe } from '../resolved.js';
import type { Library } from './library.js';
import { findShipped } from './recipe-files.js';

/** A recipe that takes the place of one that ships (recipes.md §6); files as shown to the user. */
interface Shadow {
  name: string;
  file: string;
  replaces: string;
}

/** Lists what of a captured recipe, its phases included, takes the place of a recipe that ships. @throws DevCliError `IO` */
export function listShadows(library: Library, { recipe, workflow, sources }: CapturedRecipe): Shadow[] {
  const phases = (workflow?.phases ?? []).map((phase) => ({ file: phase.source, name: phase.recipe.name }));
  const all = [{ file: sources[0]?.path ?? '', name: (workflow ?? recipe).name }, ...phases];
  return [...new Map(all.map((one) => [one.file, one])).values()].flatMap(({ file, name }) => {
    if (sources.find(({ path }) => path === file)?.shipped !== false) return [];
    const shipped = findShipped(library, name);
    return shipped === null ? [] : [{ name, file, replaces: shipped.file }];
  });
}

/** Says what one takes the place of. */
export function renderShadow({ name, file, replaces }: Shadow): string {
  return `"${name}" is ${file}, which replaces ${replaces}`;
}
