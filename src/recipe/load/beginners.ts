import { isRecord } from '../../base/json.js';
import { resolveEngineMode } from '../resolve/engine.js';
import { resolveSkill } from '../resolve/header.js';
import type { EngineSource } from '../source/schema-engine.js';
import { parseYaml } from '../source/yaml.js';
import type { Library } from './library.js';
import { listRecipeFiles, readOrEmpty } from './recipe-files.js';
import { findShippedYaml } from './shipped-texts.js';

/** A recipe that `init` may begin when the call names none (recipes.md §1). */
export interface StartableRecipe {
  /** The name under which `init` loads the recipe. */
  name: string;
  /** The skill that the recipe states, or else the first word of its name. */
  skill: string;
  /** The mode that the recipe states or its name implies; flags fill in the rest. */
  mode: Record<string, string>;
}

/**
 * Lists the recipes that declare `begins: what`, the project's first. A shipped file is listed even if a project recipe
 * of the same name replaces it: loading that name then gives the replacement, which is what the project wants.
 */
export function listStartableRecipes(library: Library, what: 'planning' | 'execution'): StartableRecipe[] {
  return listRecipeFiles(library).flatMap(({ path, file, name }): StartableRecipe[] => {
    const text = readOrEmpty(library, path);
    if (!text.includes('begins')) return [];
    const value = findShippedYaml(text) ?? parseYaml(stripSteps(text), file).value;
    if (!isRecord(value) || value['begins'] !== what) return [];
    const { skill, mode, config } = value;
    // The schema is not checked here: loading the chosen recipe reports its faults.
    const source = {
      name,
      ...(typeof skill === 'string' ? { skill } : {}),
      ...(isRecord(mode) ? { mode } : {}),
      ...(isRecord(config) ? { config } : {}),
    } as EngineSource;
    return [{ name, skill: resolveSkill(source), mode: resolveEngineMode(source) }];
  });
}

/** Removes blocks, phases and handlers from the text, because parsing a whole recipe takes 20 ms. */
function stripSteps(text: string): string {
  return text.replace(/^(blocks|phases|handlers):.*\n(?:(?![A-Za-z_]).*(?:\n|$))*/gm, '');
}
