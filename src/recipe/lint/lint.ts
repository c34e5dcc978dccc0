import { describeUnknownSection, isSectionId, VALID_SECTIONS } from '../../documents/sections.js';
import { findExternalCommand } from '../external-commands.js';
import type { CompiledRecipe } from '../load/compiled.js';
import { listOwnCommands } from '../own-commands.js';
import { listDefaultSections, listWrittenSections, requiresDraft } from '../resolve/draft.js';
import { leaveOutFaulty, type SourcePath } from '../source/report.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import { lintAgents } from './agents.js';
import { lintBlocks } from './blocks.js';
import { lintConditions } from './conditions.js';
import { lintEffect } from './effect.js';
import { lintFiles } from './files.js';
import { lintHandlers } from './handlers.js';
import { lintDeclared, lintHeader } from './header.js';
import type { Lintable, LintableSequence } from './lintable.js';
import { lintText } from './text.js';
import { lintWorkflow } from './workflow.js';

/**
 * Adds to a recipe's report all problems that can be found without running it (recipes.md, recipe lint).
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
  // Last, so that something already reported as wrong is not also reported as having no effect.
  lintEffect({ ...lintable, report: leaveOutFaulty(lintable.report) });
}

/** Checks the blocks. Checks that need all blocks are skipped if one of them does not fit the schema. */
function lintSequence(lintable: LintableSequence): void {
  lintBlocks(lintable);
  lintAgents(lintable);
  if (lintable.broken.size > 0) return;
  lintDraft(lintable);
  lintFiles(lintable);
}

/** Shell built-ins, which need a shell: a program of that name could not change the process that starts it. */
const OF_SHELL = ['cd', 'export', 'source', '.', 'alias', 'unset', 'set'];

/**
 * Warns about external commands that only a shell understands, if no shell runs them (authoring.md, What lint warns of
 * though it can run).
 */
function lintCommands({ recipe, report }: Lintable): void {
  const warn = (place: SourcePath, { argv: [first = ''], shell }: { argv: readonly string[]; shell: boolean }) => {
    const setsVariable = /^[A-Za-z_]\w*=/.test(first);
    if (shell || (!setsVariable && !OF_SHELL.includes(first))) return;
    const way =
      first === 'cd'
        ? 'Set the directory with `cwd`, or write'
        : setsVariable
          ? 'Put `env` before it, or write'
          : 'Write';
    report.warning(place, `${quoteWord(first)} is not a program, and no shell reads this command.`, {
      within: first,
      fix: `${way} ${recipe.engine === undefined ? '`shell: true`' : "`[sh, -c, '…']`"}.`,
    });
  };
  for (const [index, block] of recipe.blocks.entries()) {
    const found = findExternalCommand(block);
    if (found !== null) warn(['blocks', index, found.key], found.command);
  }
  for (const { key, command } of Object.values(recipe.engine?.handlers ?? {})) {
    if (command !== undefined) warn(['handlers', key, 'command'], command);
  }
}

/** Checks that blocks write every required section before the draft is validated. */
function lintDraft(lintable: LintableSequence): void {
  const { recipe, source, report } = lintable;
  lintSections(lintable);
  if (!recipe.usesDraft || !requiresDraft(recipe.blocks)) return;
  const depth = recipe.mode['depth'] === 'quick' ? 'quick' : 'standard';
  const wanted = source.draft?.required ?? listDefaultSections(depth, source.blocks);
  const written = listWrittenSections(recipe.blocks, wanted);
  for (const [index, id] of wanted.entries()) {
    if (written.has(id)) continue;
    const message = `The draft requires the section ${quoteWord(id)}, but no block writes it before the check.`;
    if (recipe.draft.stated) report.error(['draft', 'required', index], message);
    else {
      report.warning(
        ['name'],
        `By default the draft of a ${depth} recipe requires ${quoteWord(id)}. No block writes it, so it is not required here.`,
        {
          fix: 'State `draft: {required: […]}`, or add it to the `sections` of a block.',
        },
      );
    }
  }
}

function lintSections({ recipe, report }: LintableSequence): void {
  for (const [index, block] of recipe.blocks.entries()) {
    for (const { key, command } of listOwnCommands(block)) {
      const { section } = command.input;
      if (typeof section !== 'string' || isSectionId(section) || listPlaceholders(section).length > 0) continue;
      report.error(['blocks', index, key], `This names an ${describeUnknownSection(section)}`, {
        within: section,
        fix: VALID_SECTIONS,
      });
    }
  }
}
