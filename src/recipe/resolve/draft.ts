import { SECTION_IDS, type SectionId } from '../../documents/sections.js';
import { listRootNames } from '../conditions/text.js';
import { listOwnCommands, runsCommand } from '../own-commands.js';
import type { ResolvedBlock } from '../resolved.js';
import type { BlockSource } from '../source/schema.js';
import { listPlaceholders } from '../template.js';

/**
 * Lists the sections that `draft validate` requires by default. This depends on the depth and, if that is quick, on
 * whether the recipe generates a plan (documents.md, draft validate).
 */
export function listDefaultSections(depth: string | undefined, blocks: readonly BlockSource[]): readonly SectionId[] {
  if (depth !== 'quick') return ['intent', 'purpose', 'boundaries', 'criteria', 'decisions', 'findings'];
  const plans = blocks.some((block) =>
    Object.values(block).some((field) => /^dev-cli\s+plan\s+generate\b/.test([field].flat().join(' ').trim())),
  );
  return plans ? ['intent', 'purpose', 'boundaries', 'criteria', 'findings'] : ['intent', 'purpose', 'findings'];
}

/** Whether the recipe uses DRAFT.md at all; if so, `init` creates it. */
export function usesDraft(
  blocks: readonly ResolvedBlock[],
  templates: readonly string[],
  conditions: readonly string[],
): boolean {
  return (
    blocks.some((block) => listOwnCommands(block).some(({ command }) => command.command.startsWith('draft '))) ||
    blocks.some((block) => listFilesRead(block).includes('DRAFT.md')) ||
    templates.some((text) => listPlaceholders(text).some(({ key }) => key.startsWith('draft.'))) ||
    conditions.some((source) => listRootNames(source).has('draft'))
  );
}

function listFilesRead(block: ResolvedBlock): string[] {
  const own = 'read' in block ? [...block.read, ...block.consult] : [];
  const agents = 'agents' in block ? block.agents.flatMap(({ readsFrom }) => readsFrom) : [];
  return [...own, ...agents];
}

/**
 * Lists the sections that are written before they are checked: by the blocks up to the first that runs `draft
 * validate`, or by all blocks if none does. `init` itself writes the purpose: the goal, word for word.
 */
export function listWrittenSections(blocks: readonly ResolvedBlock[], required: readonly SectionId[]): Set<SectionId> {
  return new Set(['purpose', ...listEarlyBlocks(blocks).flatMap((block) => listSectionsWrittenBy(block, required))]);
}

/** Lists the sections that any block writes, and the purpose, which `init` writes. */
export function listSectionsWritten(blocks: readonly ResolvedBlock[], required: readonly SectionId[]): Set<SectionId> {
  return new Set(['purpose', ...blocks.flatMap((block) => listSectionsWrittenBy(block, required))]);
}

/** Lists the ids of the blocks that write a section before it is checked. */
export function listSectionWriters(
  blocks: readonly ResolvedBlock[],
  required: readonly SectionId[],
  section: SectionId,
): string[] {
  return listEarlyBlocks(blocks)
    .filter((block) => listSectionsWrittenBy(block, required).includes(section))
    .map(({ id }) => id);
}

function listEarlyBlocks(blocks: readonly ResolvedBlock[]): readonly ResolvedBlock[] {
  const first = blocks.findIndex((block) => runsCommand(block, 'draft validate'));
  return first === -1 ? blocks : blocks.slice(0, first + 1);
}

/** Lists the sections of the draft that a block writes. */
export function listSectionsWrittenBy(block: ResolvedBlock, required: readonly SectionId[]): SectionId[] {
  const stated = 'sections' in block ? block.sections : [];
  const byCommand = listOwnCommands(block).flatMap(({ command: { command, input } }) => {
    if (command === 'draft import') return ['findings' as const];
    if (command === 'draft auto-assume') return required;
    return command === 'draft update' ? SECTION_IDS.filter((id) => id === input['section']) : [];
  });
  return [...stated, ...byCommand];
}

/** Whether any block depends on whether the required sections are filled. */
export function requiresDraft(blocks: readonly ResolvedBlock[]): boolean {
  return blocks.some((block) => runsCommand(block, 'draft validate') || runsCommand(block, 'draft auto-assume'));
}
