import { toKey } from '../../documents/headings.js';
import { getFileForm } from '../file-form.js';
import type { LlmCliBlock } from '../resolved.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import type { LintableSequence } from './lintable.js';

/** Checks what blocks say of the data that they are handed (recipes.md, Data). */
export function lintData(lintable: LintableSequence): void {
  const { recipe, report, broken } = lintable;
  for (const [index, block] of recipe.blocks.entries()) {
    if (broken.has(index)) continue;
    if (block.kind === 'llm+cli') lintFile(lintable, index, block);
    if ((block.kind !== 'llm' && block.kind !== 'llm-loop') || block.schema === undefined) continue;
    // Beside choices the choice goes into the section, and the data are apart.
    if (block.kind === 'llm' && block.choices.length > 0) continue;
    if (block.sections.length === 0 && block.save?.command !== 'draft update') continue;
    report.error(['blocks', index, 'schema'], '`schema` is for JSON; sections of DRAFT.md are written as Markdown.', {
      fix: 'Leave one of the two out, or hand the data in through a block of its own.',
    });
  }
}

function lintFile({ report }: LintableSequence, index: number, block: LlmCliBlock): void {
  const { write, schema, headings = [] } = block;
  const form = getFileForm(block);
  if (form === 'markdown' && schema !== undefined) {
    report.error(['blocks', index, 'schema'], `\`schema\` is for JSON; ${quoteWord(write)} is Markdown.`, {
      fix: 'Say what it must have by `headings`, or write a file whose name ends in `.json`.',
    });
  }
  if (form === 'json' && headings.length > 0) {
    report.error(['blocks', index, 'headings'], `\`headings\` are for Markdown; ${quoteWord(write)} is JSON.`, {
      at: 'key',
      fix: 'Write a file whose name ends in `.md`, or say what the JSON must fit by `schema`.',
    });
  }
  const seen = new Set<string>();
  for (const [at, heading] of headings.entries()) {
    const place = ['blocks', index, 'headings', at];
    const key = toKey(heading);
    if (key === '' || heading.startsWith('#') || heading.includes('\n') || listPlaceholders(heading).length > 0) {
      report.error(place, `${quoteWord(heading)} is no heading as it is to be read: one line, nothing is filled in.`, {
        fix: 'Write its words alone, without `#` and placeholders, such as `Steps`.',
      });
    } else if (seen.has(key)) {
      report.error(place, `The heading ${quoteWord(heading)} stands here twice.`, { fix: 'Name each once.' });
    }
    seen.add(key);
  }
}
