import { DevCliError } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import type { CapturedRecipe, ResolvedWorkflow } from '../resolved.js';

/** Version of the compiled form. A recipe captured under another version is recompiled from its captured sources. */
export const COMPILER_VERSION = 1;

/** Puts `workflow` into a captured recipe and selects its first phase. */
export function setPhases(captured: CapturedRecipe, workflow: ResolvedWorkflow): CapturedRecipe {
  return selectPhase({ ...captured, workflow }, 0);
}

/**
 * Makes the recipe of phase `index` (from 0) the one that runs (recipes.md §4). What has no phases is returned as is.
 * @throws DevCliError `STATE_CORRUPT` when there is no such phase
 */
export function selectPhase(captured: CapturedRecipe, index: number): CapturedRecipe {
  if (captured.workflow === undefined) return captured;
  const phase = captured.workflow.phases[index];
  if (phase === undefined) throw buildNotCapturedError();
  return { ...captured, recipe: phase.recipe };
}

/** Lists the captured sources of the project that have changed or gone since. Texts are compared, not digests. */
export function listChangedSources(captured: CapturedRecipe, reader: FileReader, root: string): string[] {
  const read = (path: string) => reader.read(path.startsWith('/') ? path : `${root}/${path}`);
  return captured.sources.flatMap(({ shipped, path, text }) => (shipped || read(path) === text ? [] : path));
}

/** Builds the error for a recipe.json that holds no captured recipe. */
export function buildNotCapturedError(cause?: unknown): DevCliError {
  return new DevCliError('STATE_CORRUPT', 'recipe.json is not a captured recipe. Nothing was changed.', {
    fix: 'Restore recipe.json from a copy; the recipe files may have changed since.',
    cause,
  });
}

/** Returns the key of a role's variant in recipe.json, which is also its file's name (recipes.md, Agents). */
export function getVariantKey(type: string, variant: string): string {
  return `${type}.${variant}`;
}
