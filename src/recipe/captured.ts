import { DevCliError } from '../base/errors.js';
import type { FileReader } from '../base/files.js';
import type { CapturedRecipe, ResolvedWorkflow } from './resolved.js';

/** Version of the compiled form. A recipe captured under another one is compiled again from its captured sources. */
export const COMPILER_VERSION = 1;

/** A captured workflow with these phases: its recipe is that of the first. */
export function setPhases(captured: CapturedRecipe, workflow: ResolvedWorkflow): CapturedRecipe {
  return selectPhase({ ...captured, workflow }, 0);
}

/** The view of a phase: its recipe is the one that runs (recipes.md §4). What is no workflow stays as it is. */
export function selectPhase(captured: CapturedRecipe, index: number): CapturedRecipe {
  if (captured.workflow === undefined) return captured;
  const phase = captured.workflow.phases[index];
  if (phase === undefined) throw buildNotCapturedError();
  return { ...captured, recipe: phase.recipe };
}

/** The paths of captured sources of the project that are now different or gone. Texts are compared, not digests. */
export function listChangedSources(captured: CapturedRecipe, reader: FileReader, root: string): string[] {
  return captured.sources
    .filter(({ shipped, path, text }) => !shipped && reader.read(absolute(root, path)) !== text)
    .map(({ path }) => path);
}

function absolute(root: string, path: string): string {
  return path.startsWith('/') ? path : `${root}/${path}`;
}

/** The error for a recipe.json that is none. */
export function buildNotCapturedError(cause?: unknown): DevCliError {
  return new DevCliError('STATE_CORRUPT', 'recipe.json is no captured recipe. Nothing was touched.', {
    fix: 'Restore recipe.json from a copy; the recipe files may have changed since.',
    cause,
  });
}
