import type { CompiledRecipe } from '../load/compiled.js';
import { leaveOutFaulty } from '../source/report.js';
import { lintAgents } from './agents.js';
import { lintBlocks } from './blocks.js';
import { lintCommands } from './commands.js';
import { lintConditions } from './conditions.js';
import { lintDeclared } from './declared.js';
import { lintDraft } from './draft.js';
import { lintEffect } from './effect.js';
import { lintFiles } from './files.js';
import { lintHandlers } from './handlers.js';
import { lintHeader } from './header.js';
import type { LintableSequence } from './lintable.js';
import { lintText } from './text.js';
import { lintWorkflow } from './workflow.js';

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
  lintAgents(lintable);
  if (lintable.broken.size > 0) return;
  lintDraft(lintable);
  lintFiles(lintable);
}
