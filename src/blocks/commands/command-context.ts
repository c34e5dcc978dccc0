import type { JsonObject } from '../../base/json.js';
import { noSuchRunError } from '../../base/no-such-run.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import type { PendingDocuments } from '../../run/pending-documents.js';
import type { RunState } from '../../run/state.js';

/**
 * What a built-in command works on. A command run by hand and the same command in a recipe end in one function over
 * this: documents in, documents out (docs/architecture.md).
 */
export interface CommandContext {
  name: string;
  files: PendingDocuments;
  /** Null where the name has no run yet: `plan generate` and `check` work there too. */
  state: RunState | null;
  recipe: ResolvedRecipe | null;
  /** UTC instant of the commit; where nothing is committed, of the call. */
  at: string;
  /** Warnings for the answer. */
  warnings: string[];
}

/** What came of it. `ok: false` is a report that found problems, not an error. */
export interface CommandReport {
  ok: boolean;
  /** The command's own answer, without `ok` and `run`. */
  report: JsonObject;
  /** One line for `ran`, history and people. */
  summary: string;
  /** The same for a person; `summary` where there is nothing more to say. */
  text?: string;
}

/** @throws DevCliError `NO_SUCH_RUN` where the name has no run */
export function requireRun(scene: CommandContext): { state: RunState; recipe: ResolvedRecipe } {
  if (scene.state === null || scene.recipe === null) throw noSuchRunError(scene.name);
  return { state: scene.state, recipe: scene.recipe };
}
