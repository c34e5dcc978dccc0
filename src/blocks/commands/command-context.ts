import type { JsonObject } from '../../base/json.js';
import { noSuchRunError } from '../../base/name.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import type { PendingDocuments } from '../../run/documents/pending.js';
import type { RunDraft } from '../../run/state.js';

/**
 * What a command of dev-cli reads and writes. The same function gets the same context whether it is called by hand or
 * from a recipe (docs/architecture.md).
 */
export interface CommandContext {
  name: string;
  files: PendingDocuments;
  /** Null when the name has no run yet; `plan generate` and `check` need none. */
  state: RunDraft | null;
  recipe: ResolvedRecipe | null;
  /** UTC instant of the transaction, or of the call if it writes nothing. */
  at: string;
  /** Warnings for the answer. */
  warnings: string[];
}

/** The outcome of a command. `ok: false` means that it found problems, not that it failed. */
export interface CommandReport {
  ok: boolean;
  /** The command's answer, without `ok` and `run`. */
  report: JsonObject;
  /** One line for `ran`, history and people. */
  summary: string;
  /** The whole answer for a person; absent when `summary` says everything. */
  text?: string;
}

/**
 * Returns the run's state and recipe.
 * @throws DevCliError `NO_SUCH_RUN` when the name has no run
 */
export function requireRun(scene: CommandContext): { state: RunDraft; recipe: ResolvedRecipe } {
  if (scene.state === null || scene.recipe === null) throw noSuchRunError(scene.name);
  return { state: scene.state, recipe: scene.recipe };
}
