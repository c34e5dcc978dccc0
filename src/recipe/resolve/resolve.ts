import { omitUndefined } from '../../base/defined.js';
import type { SectionId } from '../../documents/sections.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import { resolveBlock } from '../blocks/block-forms.js';
import { listConditions } from '../conditions/text.js';
import { DEFAULT_ARTIFACTS, draftsFromGoal } from '../declared.js';
import { runsCommand } from '../own-commands.js';
import type { ResolvedBlock, ResolvedRecipe } from '../resolved.js';
import type { ProblemLog } from '../source/report.js';
import type { BlockSource, SequentialSource } from '../source/schema.js';
import type { AgentSource } from '../source/schema-rows.js';
import { listPlaceholders } from '../template.js';
import { isBlockRead, listTemplates, namesGoal } from '../texts.js';
import { listBlockWrites } from '../writes.js';
import { addDefaultInputs } from './default-inputs.js';
import { listDefaultSections, listWrittenSections, requiresDraft, usesDraft } from './draft.js';
import { resolveCleanup, resolveHeader, resolveMode } from './header.js';
import { buildProgram } from './program.js';
import type { ReadSibling } from './text.js';

/**
 * Fills in every default of a sequential recipe (recipes.md §1; recipes.md §2). Problems are reported; the result is
 * usable only if none of them is an error.
 */
export function resolveRecipe(source: SequentialSource, report: ProblemLog, read: ReadSibling): ResolvedRecipe {
  const mode = resolveMode(source, listInitFlags(source.blocks));
  const wanted = source.draft?.required ?? listDefaultSections(mode['depth'], source.blocks);
  const ids = resolveAgentIds(source.blocks.map((block) => ('agents' in block ? block.agents : [])));
  const blocks = source.blocks.map((block, index) =>
    resolveBlock(block, { place: ['blocks', index], agentIds: ids[index] ?? [], required: wanted, report, read }),
  );
  const templates = listTemplates({ blocks, cleanup: resolveCleanup(source) });
  const conditions = listConditions({ blocks });
  const draft = usesDraft(blocks, templates, conditions);
  const kept = addDefaultInputs(blocks, source.blocks, wanted).map((block) =>
    markKeptData(block, templates, conditions),
  );
  const header = resolveHeader(source, templates, conditions);
  return {
    ...header,
    type: 'sequential',
    mode,
    draft: resolveRequired(source, blocks, wanted, draft),
    ...omitUndefined({ inherits: source.inherits, artifacts: source.artifacts ?? resolveArtifacts(kept) }),
    usesGoal:
      source.goal === 'required' ||
      namesGoal(templates, conditions) ||
      blocks.some((block) => runsCommand(block, 'draft auto-assume')) ||
      (draft && draftsFromGoal(header.skill)),
    usesDraft: draft,
    blocks: kept,
    program: buildProgram(kept),
  };
}

/** Marks a block whose data the run must keep because it has a schema, or because a condition or text reads it. */
function markKeptData(
  block: ResolvedBlock,
  templates: readonly string[],
  conditions: readonly string[],
): ResolvedBlock {
  const { hands } = BLOCK_KINDS[block.kind];
  const handed = hands === 'data' && 'schema' in block && block.schema !== undefined;
  const keepsData = hands !== null && (handed || isBlockRead(block.id, templates, conditions));
  return keepsData ? ({ ...block, keepsData } as ResolvedBlock) : block;
}

/** Lists the mode flags, without `--`, of the recipe's own `dev-cli init` command. */
export function listInitFlags(blocks: readonly BlockSource[]): string[] {
  const commands = blocks.flatMap((block) => (block.type === 'cli' ? [block.command] : []));
  const words = commands.map((command) => (typeof command === 'string' ? command.trim().split(/\s+/) : command));
  const init = words.find(([program, word]) => program === 'dev-cli' && word === 'init') ?? [];
  return ['standard', 'quick', 'interactive', 'autopilot'].filter((flag) => init.includes(`--${flag}`));
}

/** Drops default sections that no block writes, but none that the recipe states (documents.md, draft validate). */
function resolveRequired(
  source: SequentialSource,
  blocks: readonly ResolvedBlock[],
  wanted: readonly SectionId[],
  draft: boolean,
): { required: SectionId[]; stated: boolean } {
  if (source.draft !== undefined) return { required: [...source.draft.required], stated: true };
  if (!draft) return { required: [], stated: false };
  const written = listWrittenSections(blocks, wanted);
  return { required: wanted.filter((id) => !requiresDraft(blocks) || written.has(id)), stated: false };
}

/**
 * Returns the ids of all agents, by block and position: the stated id, or else the type in lower case, numbered if it
 * occurs more than once (recipes.md §2).
 */
function resolveAgentIds(listed: readonly (readonly AgentSource[])[]): string[][] {
  const taken = new Set(listed.flat().flatMap(({ id }) => id ?? []));
  const unnamed = listed.flat().flatMap(({ id, type }) => (id === undefined ? [toId(type)] : []));
  const next = new Map<string, number>();
  return listed.map((agents) =>
    agents.map(({ id, type }) => {
      if (id !== undefined) return id;
      const word = toId(type);
      if (unnamed.filter((other) => other === word).length === 1 && !taken.has(word)) return word;
      let number = next.get(word) ?? 1;
      while (taken.has(`${word}-${number}`)) number += 1;
      next.set(word, number + 1);
      return `${word}-${number}`;
    }),
  );
}

function toId(type: string): string {
  const word = type.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');
  return /^[a-z_]/.test(word) ? word : `_${word}`;
}

/** Documents that are not listed as artifacts: PLAN.md, which is rendered from this one, is listed instead. */
const UNNAMED = ['plan-content.json'];
/** The largest number of rounds for which each round's document is listed. */
const MOST_ROUNDS = 20;

/**
 * Lists the documents that a run names at its end if the recipe lists none (recipes.md §1): the default ones, and those
 * that its blocks write to paths known before the run.
 * @returns undefined if there are only the defaults, which every recipe has
 */
function resolveArtifacts(blocks: readonly ResolvedBlock[]): string[] | undefined {
  const known = [...DEFAULT_ARTIFACTS, ...UNNAMED];
  const paths = blocks.flatMap((block) => listBlockWrites(block).flatMap(({ path }) => listRounds(path, block)));
  const own = [...new Set(paths)].filter((path) => !path.startsWith('/') && !known.includes(path));
  return own.length === 0 ? undefined : [...DEFAULT_ARTIFACTS, ...own];
}

/** Returns the path with `{round}` filled in for each round; empty if the path contains another placeholder. */
function listRounds(path: string, block: ResolvedBlock): string[] {
  const keys = listPlaceholders(path).map(({ key }) => key);
  if (keys.length === 0) return [path];
  if (keys.some((key) => key !== 'round')) return [];
  const rounds = 'maxRounds' in block ? (block.maxRounds ?? 1) : 1;
  return Array.from({ length: Math.min(rounds, MOST_ROUNDS) }, (_, at) => path.replaceAll('{round}', String(at + 1)));
}
