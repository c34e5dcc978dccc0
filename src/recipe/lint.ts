import type { CompiledRecipe } from './compiled.js';
import { lintAgents } from './lint-agents.js';
import { lintBlocks } from './lint-blocks.js';
import { lintCommands } from './lint-commands.js';
import { lintConditions } from './lint-conditions.js';
import { lintData } from './lint-data.js';
import { lintDeclared } from './lint-declared.js';
import { lintDraft } from './lint-draft.js';
import { lintEffect } from './lint-effect.js';
import { lintFiles } from './lint-files.js';
import { lintHandlers } from './lint-handlers.js';
import { lintHeader } from './lint-header.js';
import { lintText } from './lint-text.js';
import { lintWorkflow } from './lint-workflow.js';
import type { LintableSequence } from './lintable.js';
import { leaveOutFaulty } from './report.js';

/**
 * Adds to a recipe's report whatever can be found wrong without running it (recipes.md, recipe lint).
 * @param expectedName the name of the recipe's file
 */
export function lintRecipe(compiled: CompiledRecipe, expectedName: string): void {
  const { draft, report, file } = compiled;
  if (draft === null) return;
  if (draft.type === 'meta') {
    lintWorkflow({ ...draft, report, file }, expectedName, lintRecipe);
    return;
  }
  const lintable = { ...draft, report, file };
  lintHeader(lintable, expectedName);
  lintDeclared(lintable);
  lintText(lintable);
  lintConditions(lintable);
  switch (lintable.type) {
    case 'sequential':
      lintSequence(lintable);
      break;
    case 'engine':
      lintHandlers(lintable);
  }
  lintCommands(lintable);
  // Last: what is wrong in itself need not be told to have no effect, too.
  lintEffect({ ...lintable, report: leaveOutFaulty(lintable.report) });
}

/** Checks the blocks; what needs all of them is left out as long as one does not fit the schema. */
function lintSequence(lintable: LintableSequence): void {
  lintBlocks(lintable);
  lintData(lintable);
  lintAgents(lintable);
  if (lintable.broken.size > 0) return;
  lintDraft(lintable);
  lintFiles(lintable);
}
