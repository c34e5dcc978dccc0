import { SIZES } from '../../documents/size-rules.js';
import { evaluateCondition } from '../conditions/conditions.js';
import { listRootNames } from '../conditions/text.js';
import { listInherited } from '../declared.js';
import { findExternalCommand } from '../external-commands.js';
import { listOwnCommands } from '../own-commands.js';
import type { ResolvedBlock } from '../resolved.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import { type BlockWrite, leavesRun, listBlockWrites, matchesPath } from '../writes.js';
import type { LintableSequence } from './lintable.js';

/** A document that a block reads. */
export interface BlockRead {
  path: string;
  /** The position at which the recipe names the file. */
  place: (string | number)[];
  /**
   * When the reader can do without the file. `missing`: always; the action lists the file as missing. `skipped`: if the
   * writer was skipped; the file is then left out of the action.
   */
  without: 'missing' | 'skipped' | 'never';
  /** The conditions under which the file is read. */
  when: string[];
}

/**
 * Checks that every file read was written before. A file written under a condition must be read under the same one, or
 * by a reader that can do without it (recipes.md, Instructions).
 */
export function lintFiles(lintable: LintableSequence): void {
  const { recipe, source } = lintable;
  const inherited = listInherited(recipe);
  const written: BlockWrite[] = recipe.usesDraft ? [{ path: 'DRAFT.md', when: [], unsure: [] }] : [];
  for (const [index, block] of recipe.blocks.entries()) {
    const mine = listBlockWrites(block);
    for (const read of listReads(block, index, source.blocks[index])) {
      const earlier = [...written, ...(read.path === findOwnInput(block) ? mine : [])];
      if (leavesRun(read.path) || inherited.includes(read.path)) continue;
      lintRead(lintable, index, read, earlier);
    }
    written.push(...mine);
    // An external command may write any file, so no file can be called unwritten after it.
    if (findExternalCommand(block) !== null) return;
  }
}

function lintRead(lintable: LintableSequence, index: number, read: BlockRead, earlier: readonly BlockWrite[]): void {
  const writers = earlier.filter(({ path }) => matchesPath(path, read.path) || matchesPath(read.path, path));
  if (writers.length === 0) {
    reportMissing(lintable, index, read, earlier);
  } else if (!writers.some((write) => isThere(write, read)) && !coverEverySize(writers, read)) {
    lintable.report.warning(
      read.place,
      `${quoteWord(read.path)} is written only under a condition, but read without that condition.`,
      {
        fix:
          read.without === 'never'
            ? 'Give this block the same `when`.'
            : 'Move it to `consult`, or give this block the same `when`.',
      },
    );
  }
}

/**
 * Whether, for each size of work at which the document is read, at least one writer runs. Considers only conditions
 * about the size; false if the reader has any other.
 */
function coverEverySize(writers: readonly BlockWrite[], { when: reading }: BlockRead): boolean {
  const bySize = writers.filter(({ when, unsure }) => unsure.length === 0 && when.every(isAboutSize));
  return (
    bySize.length > 1 &&
    reading.every(isAboutSize) &&
    SIZES.every((size) => !holdAt(size, reading) || bySize.some(({ when }) => holdAt(size, when)))
  );
}

function holdAt(size: string, conditions: readonly string[]): boolean {
  try {
    return conditions.every((condition) => evaluateCondition(condition, { size }));
  } catch {
    // `lintConditions` reports the fault.
    return false;
  }
}

function isAboutSize(condition: string): boolean {
  return [...listRootNames(condition)].every((name) => name === 'size');
}

/** Whether a reader finds the document or can do without it. */
function isThere({ when, unsure }: BlockWrite, read: BlockRead): boolean {
  if (read.without === 'missing') return true;
  const needed = read.without === 'skipped' ? unsure : [...when, ...unsure];
  return needed.every((part) => read.when.includes(part));
}

function reportMissing(
  { recipe, report }: LintableSequence,
  index: number,
  read: BlockRead,
  earlier: readonly BlockWrite[],
): void {
  const later = recipe.blocks
    .slice(index)
    .find((other) => listBlockWrites(other).some(({ path }) => matchesPath(path, read.path)));
  const self = later?.id === recipe.blocks[index]?.id;
  const hint =
    later === undefined ? '' : self ? '; this block itself writes it' : `; ${quoteWord(later.id)} writes it later`;
  const meant =
    later === undefined
      ? quoteSuggestion(
          read.path,
          earlier.map(({ path }) => path),
        )
      : '';
  report.error(read.place, `No earlier block writes ${quoteWord(read.path)}${hint}.${meant}`, { within: read.path });
}

/** Returns the file that the agent writes for the block's own command; null if there is none. */
export function findOwnInput(block: ResolvedBlock): string | null {
  return 'write' in block ? block.write : null;
}

/**
 * Lists the documents that a block reads.
 * @param index the block's index
 * @param raw the block as written in the recipe
 */
export function listReads(
  block: ResolvedBlock,
  index: number,
  raw: LintableSequence['source']['blocks'][number] | undefined,
): BlockRead[] {
  const place = ['blocks', index];
  const when = block.when === undefined ? [] : [block.when];
  // Inputs that resolve/default-inputs.ts added are not checked: an earlier block always writes them, and they have no
  // position in the recipe file to report.
  const isStated = (part: object | undefined, key: string) => raw === undefined || (part !== undefined && key in part);
  const named = (key: 'read' | 'consult', without: BlockRead['without']) =>
    'read' in block && isStated(raw, key)
      ? block[key].map((path, at): BlockRead => ({ path, place: [...place, key, at], without, when }))
      : [];
  const reads = [...named('read', 'skipped'), ...named('consult', 'missing')];
  for (const [at, agent] of ('agents' in block ? block.agents : []).entries()) {
    const stated = raw !== undefined && 'agents' in raw ? raw.agents[at] : undefined;
    for (const [item, path] of (isStated(stated, 'readsFrom') ? agent.readsFrom : []).entries()) {
      reads.push({ path, place: [...place, 'agents', at, 'readsFrom', item], without: 'missing', when });
    }
  }
  if ('artifact' in block && block.artifact !== undefined) {
    reads.push({ path: block.artifact, place: [...place, 'artifact'], without: 'never', when });
  }
  for (const { key, command } of listOwnCommands(block)) {
    const { data } = command.input;
    const stated = key === 'command' && raw !== undefined && !(key in raw) ? 'then' : key;
    if (typeof data === 'string') reads.push({ path: data, place: [...place, stated], without: 'never', when });
  }
  return reads;
}
