import type { SectionId } from '../documents/sections.js';
import { draftsFromGoal } from './declared.js';
import { runs } from './own-commands.js';
import { programOf } from './program.js';
import type { Report } from './report.js';
import { agentIds } from './resolve-agents.js';
import { resolveBlock } from './resolve-block.js';
import { DEFAULT_REQUIRED, demandsDraft, usesDraft, writtenSections } from './resolve-draft.js';
import { resolveCleanup, resolveHeader, resolveMode } from './resolve-header.js';
import type { ReadBeside } from './resolve-text.js';
import type { ResolvedBlock, ResolvedRecipe } from './resolved.js';
import type { BlockSource, SequentialSource } from './schema.js';
import { conditionsOf, mentionsGoal, templatesOf } from './texts.js';

/**
 * A recipe with every default and every "may be left out" rule of recipes.md §1 and §2 applied. Problems met on the way
 * are reported; the result is of use only when none of them is an error.
 */
export function resolveRecipe(source: SequentialSource, report: Report, read: ReadBeside): ResolvedRecipe {
  const mode = resolveMode(source, initFlags(source.blocks));
  const wanted = source.draft?.required ?? DEFAULT_REQUIRED[mode['depth'] === 'quick' ? 'quick' : 'standard'];
  const ids = agentIds(source.blocks);
  const blocks = source.blocks.map((block, index) =>
    resolveBlock(block, { index, agentIds: ids[index] ?? [], required: wanted, report, read }),
  );
  const templates = templatesOf({ blocks, cleanup: resolveCleanup(source) });
  const conditions = conditionsOf({ blocks });
  const draft = usesDraft(blocks, templates, conditions);
  const header = resolveHeader(source, templates, conditions);
  return {
    ...header,
    type: 'sequential',
    mode,
    draft: requiredSections(source, blocks, wanted, draft),
    ...(source.inherits === undefined ? {} : { inherits: source.inherits }),
    usesGoal:
      source.goal === 'required' || usesGoal(blocks, templates, conditions) || (draft && draftsFromGoal(header.skill)),
    usesDraft: draft,
    blocks,
    program: programOf(blocks),
  };
}

/** The mode flags that the recipe's own `dev-cli init` command gives. */
export function initFlags(blocks: readonly BlockSource[]): string[] {
  const commands = blocks.flatMap((block) => (block.type === 'cli' ? [block.command] : []));
  const words = commands.map((command) => (typeof command === 'string' ? command.trim().split(/\s+/) : command));
  const init = words.find(([program, word]) => program === 'dev-cli' && word === 'init') ?? [];
  return ['standard', 'quick', 'interactive', 'autopilot'].filter((flag) => init.includes(`--${flag}`));
}

/** Of a default list a section that nothing writes is dropped; a stated list is binding (documents.md, draft validate). */
function requiredSections(
  source: SequentialSource,
  blocks: readonly ResolvedBlock[],
  wanted: readonly SectionId[],
  draft: boolean,
): { required: SectionId[]; stated: boolean } {
  if (source.draft !== undefined) return { required: [...source.draft.required], stated: true };
  if (!draft) return { required: [], stated: false };
  const written = writtenSections(blocks, wanted);
  return { required: wanted.filter((id) => !demandsDraft(blocks) || written.has(id)), stated: false };
}

function usesGoal(
  blocks: readonly ResolvedBlock[],
  templates: readonly string[],
  conditions: readonly string[],
): boolean {
  return mentionsGoal(templates, conditions) || blocks.some((block) => runs(block, 'draft auto-assume'));
}
