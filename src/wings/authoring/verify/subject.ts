import { SIZES } from '../../../documents/size-rules.js';
import type { Program } from '../../../machine/program.js';
import { listBlockTemplates } from '../../../recipe/blocks/block-forms.js';
import { listBlockConditions, listConditions, listRootNames } from '../../../recipe/conditions/text.js';
import { listInherited } from '../../../recipe/declared.js';
import { findExternalCommand } from '../../../recipe/external-commands.js';
import { type BlockRead, findOwnInput, listReads } from '../../../recipe/lint/files.js';
import type { LintableSequence } from '../../../recipe/lint/lintable.js';
import { findClassifier, listOwnCommands, runsCommand } from '../../../recipe/own-commands.js';
import { listSectionWriters } from '../../../recipe/resolve/draft.js';
import type { ResolvedAgent, ResolvedBlock, ResolvedRecipe } from '../../../recipe/resolved.js';
import { listPlaceholders } from '../../../recipe/template.js';
import { listBlockWrites, matchesPath } from '../../../recipe/writes.js';
import { WHOLE } from './candidates.js';
import type { ExactRounds } from './place.js';
import { type Condition, findValues, type Value } from './values.js';

/** A writer of a document: a block, or one of its agents. */
interface Writer {
  block: number;
  /** The agent's condition. */
  when?: string;
}

/** A document that a block reads, with its writers. */
export interface SubjectRead extends BlockRead {
  writers: readonly Writer[];
}

/** A value of another block that a text of this block uses. */
interface Needed {
  block: number;
  /** The part of the placeholder after `blocks.`. */
  key: string;
}

/** A sequential recipe with everything that its exploration uses, computed once. */
export interface ExplorationSubject {
  recipe: ResolvedRecipe;
  program: Program;
  values: readonly Value[];
  conditions: ReadonlyMap<string, Condition>;
  /** For each value: the blocks that may change it when they end; none if it is constant in a run. */
  producers: readonly ReadonlySet<number>[];
  /** The index of the value `size`; -1 if no condition reads the size. */
  size: number;
  /** The index of the block that determines the size; -1 if there is none. */
  classifier: number;
  /** The blocks whose outcome is read later, each with its position among these blocks. */
  watched: ReadonlyMap<number, number>;
  /** Watched blocks for which failure is distinguished from success. */
  exact: ReadonlySet<number>;
  /** Blocks whose status a condition reads. */
  asksStatus: ReadonlySet<number>;
  /** The documents that each block reads, by block index. */
  reads: readonly (readonly SubjectRead[])[];
  needed: readonly (readonly Needed[])[];
  /** By block that runs `draft validate`: each required section with the blocks that write it. */
  sections: ReadonlyMap<number, readonly { section: string; writers: readonly number[] }[]>;
  exactRounds: ExactRounds;
  /** For each block: the values that it changes when it ends. */
  produced: readonly (readonly number[])[];
  /** The blocks whose end changes a value or a watched outcome, in order. */
  touched: readonly number[];
  /** The index of each block, by its id. */
  index: ReadonlyMap<string, number>;
  /** For each value, and then for each watched block: the blocks that read it. */
  readers: readonly ReadonlySet<number>[];
}

/** Computes the data that the exploration of a recipe uses. @param source the recipe before it was resolved */
export function findSubject(recipe: ResolvedRecipe, source: LintableSequence['source']): ExplorationSubject {
  const { blocks, program } = recipe;
  const { values, conditions } = findValues(recipe, listConditions(recipe));
  const index = new Map(blocks.map(({ id }, at) => [id, at]));
  const reads = findReads(recipe, source);
  const needed = blocks.map((block) => findNeeded(block, index));
  const sections = findSections(recipe, index);
  const { asked, exact } = findAsked(recipe, { reads, needed, sections, values, conditions, index });
  const watched = new Map([...asked.keys()].sort((a, b) => a - b).map((block, at) => [block, at]));
  const asksStatus = new Set(
    values.flatMap(({ path: [root, id = '', member] }) =>
      root === 'blocks' && member === 'status' && index.has(id) ? [index.get(id) as number] : [],
    ),
  );
  const producers = values.map(({ path }) => findProducers(recipe, index, path));
  const byValue = values.map((_, at) => findReaders(blocks, conditions, at));
  return {
    recipe,
    program,
    values,
    conditions,
    producers,
    index,
    asksStatus,
    touched: [
      ...new Set([...watched.keys(), ...producers.flatMap((own) => [...own]), ...classifying(recipe, index)]),
    ].sort((a, b) => a - b),
    exactRounds: findExactRounds(blocks, { values, conditions, index }),
    produced: blocks.map((_, block) => values.flatMap((_, at) => (producers[at]?.has(block) === true ? [at] : []))),
    size: values.findIndex(({ path }) => path[0] === 'size'),
    classifier: classifying(recipe, index)[0] ?? -1,
    watched,
    exact,
    reads,
    needed,
    sections,
    readers: [...byValue, ...[...watched.keys()].map((block) => asked.get(block) ?? new Set<number>())],
  };
}

type Looked = Pick<ExplorationSubject, 'reads' | 'needed' | 'sections' | 'values' | 'conditions' | 'index'>;

/** Finds the blocks whose outcome other blocks read, with those readers. */
function findAsked(
  { blocks }: ResolvedRecipe,
  looked: Looked,
): { asked: Map<number, Set<number>>; exact: Set<number> } {
  const { reads, needed, sections } = looked;
  const asked = new Map<number, Set<number>>();
  const exact = new Set<number>();
  const ask = (block: number, reader: number, isExact: boolean) => {
    asked.set(block, (asked.get(block) ?? new Set<number>()).add(reader));
    if (isExact) exact.add(block);
  };
  for (const [reader, own] of reads.entries()) {
    for (const read of own) for (const { block } of read.writers) ask(block, reader, isStrict(read, blocks[block]));
  }
  for (const [reader, own] of needed.entries()) for (const { block } of own) ask(block, reader, true);
  for (const [reader, own] of sections)
    for (const { writers } of own) for (const one of writers) ask(one, reader, !writesAnyway(blocks[one]));
  for (const [reader, block] of blocks.entries())
    for (const of of listAskedBlocks(block, looked)) ask(of, reader, true);
  return { asked, exact };
}

/** Lists the blocks whose values the conditions of a block read. */
function listAskedBlocks(block: ResolvedBlock, { values, conditions, index }: Looked): number[] {
  return listBlockConditions(block)
    .flatMap((one) => conditions.get(one)?.looksAt ?? [])
    .flatMap((at) => {
      const [root, id = '', member] = values[at]?.path ?? [];
      const of = root === 'blocks' && member !== 'rounds' ? index.get(id) : undefined;
      return of ?? [];
    });
}

/**
 * Finds the blocks whose number of rounds a condition reads: its own block's as `round`, another's as
 * `blocks["id"].rounds`.
 */
function findExactRounds(
  blocks: readonly ResolvedBlock[],
  { values, conditions, index }: Pick<Looked, 'values' | 'conditions' | 'index'>,
): ExactRounds {
  const found = new Map<number, number>();
  for (const [at, block] of blocks.entries()) {
    for (const value of listBlockConditions(block).flatMap((source) => conditions.get(source)?.looksAt ?? [])) {
      const { path: [root, id = '', member] = [], values: numbers = [] } = values[value] ?? {};
      const of = root === 'round' ? at : root === 'blocks' && member === 'rounds' ? index.get(id) : undefined;
      if (of !== undefined) found.set(of, Math.max(found.get(of) ?? 0, ...numbers.map(Number)));
    }
  }
  return found;
}

function classifying(recipe: ResolvedRecipe, index: ReadonlyMap<string, number>): number[] {
  const found = index.get(findClassifier(recipe) ?? '');
  return found === undefined ? [] : [found];
}

/** Returns whether a read is a fault if its writer has failed. */
function isStrict({ without }: BlockRead, writer: ResolvedBlock | undefined): boolean {
  if (without === 'never') return true;
  return without === 'skipped' && writer !== undefined && !('agents' in writer);
}

/**
 * Returns whether a block writes its section even if it fails, because the section then names what its agents left
 * undone.
 */
export function writesAnyway(block: ResolvedBlock | undefined): boolean {
  return (
    block !== undefined && 'agents' in block && block.onComplete !== undefined && block.onError.kind === 'continue'
  );
}

function findReads({ blocks, ...recipe }: ResolvedRecipe, source: LintableSequence['source']): SubjectRead[][] {
  const inherited = listInherited(recipe);
  const free = (path: string) => path.startsWith('/') || inherited.includes(path) || path === 'DRAFT.md';
  const writes = blocks.flatMap((block, at) => [
    ...listBlockWrites(block).map((write) => ({ ...write, block: at })),
    ...(findExternalCommand(block) !== null ? [{ path: '*', block: at }] : []),
  ]);
  return blocks.map((block, at) =>
    listReads(block, at, source.blocks[at])
      .filter(({ path }) => !free(path) && path !== findOwnInput(block))
      .map((read) => ({
        ...read,
        writers: writes
          .filter(({ path }) => path === '*' || matchesPath(path, read.path) || matchesPath(read.path, path))
          .map((write): Writer => {
            const agent = 'agent' in write ? findBlockAgent(blocks[write.block], write.agent) : undefined;
            return { block: write.block, ...(agent?.when === undefined ? {} : { when: agent.when }) };
          }),
      })),
  );
}

/** Finds an agent of a block. */
export function findBlockAgent(block: ResolvedBlock | undefined, id: string | undefined): ResolvedAgent | undefined {
  return block !== undefined && 'agents' in block ? block.agents.find((agent) => agent.id === id) : undefined;
}

function findNeeded(block: ResolvedBlock, index: ReadonlyMap<string, number>): Needed[] {
  return listBlockTemplates(block).flatMap((text) =>
    listPlaceholders(text).flatMap(({ key }) => {
      const [root, id = '', member = ''] = key.split('.');
      const of = index.get(id);
      if (root !== 'blocks' || of === undefined || !['data', 'choice', 'exit'].includes(member)) return [];
      return [{ block: of, key: key.slice('blocks.'.length) }];
    }),
  );
}

function findSections({ blocks, draft }: ResolvedRecipe, index: ReadonlyMap<string, number>) {
  const found = new Map<number, { section: string; writers: number[] }[]>();
  for (const [at, block] of blocks.entries()) {
    if (!runsCommand(block, 'draft validate')) continue;
    found.set(
      at,
      draft.required
        .filter((section) => section !== 'purpose')
        .map((section) => ({
          section,
          writers: listSectionWriters(blocks, draft.required, section).map((id) => index.get(id) as number),
        })),
    );
  }
  return found;
}

function findReaders(
  blocks: readonly ResolvedBlock[],
  conditions: ReadonlyMap<string, Condition>,
  value: number,
): ReadonlySet<number> {
  const looks = (source: string) => conditions.get(source)?.looksAt.includes(value) === true;
  return new Set(blocks.flatMap((block, at) => (listBlockConditions(block).some(looks) ? [at] : [])));
}

/** Names whose values change during a run. */
const CHANGING = ['agents', 'blocks', 'draft', 'result', 'round', 'size'];

function findProducers(
  { blocks }: ResolvedRecipe,
  index: ReadonlyMap<string, number>,
  [root, id = '']: readonly string[],
): ReadonlySet<number> {
  const where = (isOne: (block: ResolvedBlock) => boolean) =>
    new Set(blocks.flatMap((block, at) => (isOne(block) ? [at] : [])));
  switch (root) {
    case 'blocks':
      return new Set(index.has(id) ? [index.get(id) as number] : []);
    case 'agents':
      return where((block) => 'agents' in block && block.agents.some((agent) => agent.id === id));
    case 'draft':
      return where(
        (block) =>
          ('sections' in block && block.sections.length > 0) ||
          listOwnCommands(block).some(({ command: { command } }) => /^draft (?!validate$)/.test(command)),
      );
    case 'result':
      return where(() => true);
    case WHOLE:
      // Values that only the user sets are constant in a run.
      return where(() => [...listRootNames(id)].some((name) => CHANGING.includes(name)));
    default:
      return new Set();
  }
}

/** The index of the largest size. */
export const LARGEST = SIZES.length - 1;
