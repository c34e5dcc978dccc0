import type { LintableSequence } from './lintable.js';

/** Checks what blocks say of the data that they are handed (recipes.md, Data). */
export function lintData({ recipe, report, broken }: LintableSequence): void {
  for (const [index, block] of recipe.blocks.entries()) {
    if (broken.has(index) || (block.kind !== 'llm' && block.kind !== 'llm-loop') || block.schema === undefined)
      continue;
    // Beside choices the choice goes into the section, and the data are apart.
    if (block.kind === 'llm' && block.choices.length > 0) continue;
    if (block.sections.length === 0 && block.save?.command !== 'draft update') continue;
    report.error(['blocks', index, 'schema'], '`schema` is for JSON; sections of DRAFT.md are written as Markdown.', {
      fix: 'Leave out one of the two, or hand the data in by a block of its own.',
    });
  }
}
