import { isRecord } from '../base/json.js';
import { type Library, listRecipeFiles } from './library.js';
import { resolveEngineMode } from './resolve-engine.js';
import { resolveSkill } from './resolve-header.js';
import type { EngineSource } from './schema-engine.js';
import { parseYaml } from './yaml-source.js';

/** A recipe that `init` may begin when none is named (recipes.md §1). */
export interface Beginner {
  name: string;
  skill: string;
  /** What the recipe states; the flags fill in the rest. */
  mode: Record<string, string>;
}

/**
 * The recipes that say that `init` begins planning, or an execution, with them; those of the project first. A file counts by
 * its name also where another one of that name replaces it: whoever wrote that one means it to be begun instead.
 */
export function listBeginners(library: Library, what: 'planning' | 'execution'): Beginner[] {
  return listRecipeFiles(library).flatMap(({ path, file, name }): Beginner[] => {
    const text = library.reader.read(path) ?? '';
    if (!text.includes('begins')) return [];
    const { value } = parseYaml(stripSteps(text), file);
    if (!isRecord(value) || value['begins'] !== what) return [];
    const { skill, mode, config } = value;
    // What fits no schema is told by whoever loads the recipe that is chosen.
    const source = {
      name,
      ...(typeof skill === 'string' ? { skill } : {}),
      ...(isRecord(mode) ? { mode } : {}),
      ...(isRecord(config) ? { config } : {}),
    } as EngineSource;
    return [{ name, skill: resolveSkill(source), mode: resolveEngineMode(source) }];
  });
}

/** The fields above the steps; parsing all of four recipes to choose one took 90 ms of an `init`. */
function stripSteps(text: string): string {
  return text.replace(/^(blocks|phases|handlers):.*\n(?:(?![A-Za-z_]).*(?:\n|$))*/gm, '');
}
