import { DevCliError } from '../../base/errors.js';
import type { FileReader } from '../../base/files.js';
import type { CapturedRecipe, ResolvedWorkflow } from '../captured.js';

/** The version of the compiled form. A recipe captured under another version is compiled again from its sources. */
export const COMPILER_VERSION = 1;

/** Sets the workflow of a captured recipe and selects its first phase. */
export function setPhases(captured: CapturedRecipe, workflow: ResolvedWorkflow): CapturedRecipe {
  return selectPhase({ ...captured, workflow }, 0);
}

/**
 * Makes the recipe of phase `index` (from 0) the current one (recipes.md §4). A recipe without phases is returned
 * unchanged.
 * @throws DevCliError `STATE_CORRUPT` when there is no such phase
 */
export function selectPhase(captured: CapturedRecipe, index: number): CapturedRecipe {
  if (captured.workflow === undefined) return captured;
  const phase = captured.workflow.phases[index];
  if (phase === undefined) throw buildNotCapturedError();
  return { ...captured, recipe: phase.recipe };
}

/** Lists the captured project sources whose files have changed or disappeared. Compares texts, not digests. */
export function listChangedSources(captured: CapturedRecipe, reader: FileReader, root: string): string[] {
  const read = (path: string) => reader.read(path.startsWith('/') ? path : `${root}/${path}`);
  return captured.sources.flatMap(({ shipped, path, text }) => (shipped || read(path) === text ? [] : path));
}

/** Builds the error for a recipe.json that holds no captured recipe. */
export function buildNotCapturedError(cause?: unknown): DevCliError {
  return new DevCliError('STATE_CORRUPT', 'recipe.json is not a valid captured recipe. Nothing was changed.', {
    fix: 'Restore recipe.json from a copy; the recipe files may have changed since.',
    cause,
  });
}

/** Returns the key of a role's variant in recipe.json, which is also the name of its file (recipes.md, Agents). */
export function getVariantKey(type: string, variant: string): string {
  return `${type}.${variant}`;
}
