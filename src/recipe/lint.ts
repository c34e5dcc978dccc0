import type { Compiled } from './compile.js';
import { lintAgents } from './lint-agents.js';
import { lintBlocks } from './lint-blocks.js';
import { lintConditions } from './lint-conditions.js';
import { lintDraft } from './lint-draft.js';
import { lintFiles } from './lint-files.js';
import { lintHeader } from './lint-header.js';
import { lintText } from './lint-text.js';
import type { Lintable } from './lintable.js';

/**
 * Everything that can be told wrong about a recipe without running it (recipes.md §6, lint), added to its report.
 * What depends on all blocks is left out while one of them does not fit the schema.
 */
export function lintRecipe(compiled: Compiled, expectedName: string): void {
  if (compiled.draft === null) return;
  const lintable: Lintable = { ...compiled.draft, report: compiled.report, file: compiled.file };
  lintHeader(lintable, expectedName);
  lintBlocks(lintable);
  lintAgents(lintable);
  lintText(lintable);
  lintConditions(lintable);
  if (lintable.broken.size > 0) return;
  lintDraft(lintable);
  lintFiles(lintable);
}
