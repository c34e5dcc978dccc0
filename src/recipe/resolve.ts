import type { JsonObject } from '../base/json.js';
import type { SectionId } from '../documents/sections.js';
import { BUILTIN_PREFERENCES } from './builtin-preferences.js';
import { preferencesIn, rootNames } from './condition-text.js';
import { runs } from './own-commands.js';
import { programOf } from './program.js';
import type { Report } from './report.js';
import { agentIds } from './resolve-agents.js';
import { resolveBlock } from './resolve-block.js';
import { DEFAULT_REQUIRED, demandsDraft, usesDraft, writtenSections } from './resolve-draft.js';
import type { ReadBeside } from './resolve-text.js';
import type { PreferenceSpec, ResolvedBlock, ResolvedRecipe } from './resolved.js';
import type { BlockSource, SequentialSource } from './schema.js';
import { placeholders } from './template.js';
import { conditionsOf, templatesOf } from './texts.js';

/**
 * A recipe with every default and every "may be left out" rule of recipes.md §1 and §2 applied. Problems met on the way
 * are reported; the result is of use only when none of them is an error.
 */
export function resolveRecipe(source: SequentialSource, report: Report, read: ReadBeside): ResolvedRecipe {
  const mode = modeOf(source);
  const wanted = source.draft?.required ?? DEFAULT_REQUIRED[mode['depth'] === 'quick' ? 'quick' : 'standard'];
  const ids = agentIds(source.blocks);
  const blocks = source.blocks.map((block, index) =>
    resolveBlock(block, { index, agentIds: ids[index] ?? [], required: wanted, report, read }),
  );
  const cleanup = source.cleanup ?? ['DRAFT.md'];
  const templates = templatesOf({ blocks, cleanup });
  const conditions = conditionsOf({ blocks });
  const draft = usesDraft(blocks, templates, conditions);
  const skill = source.skill ?? source.name.split(/[-_]/)[0] ?? source.name;
  return {
    name: source.name,
    type: 'sequential',
    language: 1,
    description: source.description?.trim() ?? '',
    skill,
    mode,
    vars: (source.vars ?? {}) as JsonObject,
    preferences: preferencesOf(source, templates, conditions),
    draft: requiredSections(source, blocks, wanted, draft),
    guardWrites: source.guard?.writes ?? null,
    cleanup,
    usesGoal: usesGoal(blocks, templates, conditions) || (draft && skill === 'specify'),
    usesDraft: draft,
    blocks,
    program: programOf(blocks),
  };
}

/** Stated, else from the flags of the init command, else from the words of the name; what stays open is not in it. */
function modeOf(source: SequentialSource): Record<string, string> {
  const words = source.name.split(/[-_]/);
  const flags = initFlags(source.blocks);
  const pick = (...values: string[]) =>
    values.find((value) => flags.includes(value)) ?? values.find((value) => words.includes(value));
  const depth = source.mode?.depth ?? pick('standard', 'quick');
  const interaction = source.mode?.interaction ?? pick('interactive', 'autopilot');
  return {
    ...source.mode,
    ...(depth === undefined ? {} : { depth }),
    ...(interaction === undefined ? {} : { interaction }),
  };
}

/** The mode flags that the recipe's own `dev-cli init` command gives. */
export function initFlags(blocks: readonly BlockSource[]): string[] {
  const commands = blocks.flatMap((block) => (block.type === 'cli' ? [block.command] : []));
  const words = commands.map((command) => (typeof command === 'string' ? command.trim().split(/\s+/) : command));
  const init = words.find(([program, word]) => program === 'dev-cli' && word === 'init') ?? [];
  return ['standard', 'quick', 'interactive', 'autopilot'].filter((flag) => init.includes(`--${flag}`));
}

function preferencesOf(
  source: SequentialSource,
  templates: readonly string[],
  conditions: readonly string[],
): Record<string, PreferenceSpec> {
  const used = new Set([
    ...templates.flatMap((text) => placeholders(text).map(({ key }) => key.replace(/^preferences\./, ''))),
    ...conditions.flatMap(preferencesIn),
  ]);
  const preferences: Record<string, PreferenceSpec> = {};
  for (const [name, spec] of Object.entries(BUILTIN_PREFERENCES)) if (used.has(name)) preferences[name] = spec;
  for (const [name, stated] of Object.entries(source.preferences ?? {})) {
    const { default: initial, ...rest } = stated;
    const builtin = BUILTIN_PREFERENCES[name];
    preferences[name] = {
      ...(builtin?.values === undefined ? {} : { values: builtin.values }),
      ...rest,
      ...((initial ?? builtin?.default) === undefined ? {} : { default: initial ?? builtin?.default }),
    } as PreferenceSpec;
  }
  return preferences;
}

/** Of a default list a section that nothing writes is dropped; a stated list is binding (recipes.md §1, draft). */
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
  return (
    templates.some((text) => placeholders(text).some(({ key }) => key === 'goal')) ||
    conditions.some((source) => rootNames(source).has('goal')) ||
    blocks.some((block) => runs(block, 'draft auto-assume'))
  );
}
