import { describeUnknownSection, isSectionId, VALID_SECTIONS } from '../../documents/sections.js';
import { listOwnCommands } from '../own-commands.js';
import { listDefaultSections, listWrittenSections, requiresDraft } from '../resolve/draft.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import type { LintableSequence } from './lintable.js';

/** Checks that a block writes every required section before anything asks for it. */
export function lintDraft(lintable: LintableSequence): void {
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
