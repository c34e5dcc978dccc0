import { listInherited } from './declared.js';
import type { LintableSequence } from './lintable.js';
import { listOwnCommands } from './own-commands.js';
import type { ResolvedBlock } from './resolved.js';
import { quoteWord } from './yaml-source.js';

/** A file that some block has written by the time another reads it. */
interface Written {
  path: string;
  /** The conditions that must all hold for the file to exist; empty when it always does. */
  when: string[];
}

interface Read {
  path: string;
  /** Where the recipe names the file. */
  place: (string | number)[];
  /** Whether the reader can go on without the file, because the action names it as missing. */
  namedMissing: boolean;
  /** The conditions under which the file is read. */
  when: string[];
}

/**
 * Checks that every file read was written before. A file written under a condition must be read under the same one, or
 * by a reader that can go on without it (recipes.md, recipe lint).
 */
export function lintFiles(lintable: LintableSequence): void {
  const { recipe, source } = lintable;
  const inherited = listInherited(recipe);
  const written: Written[] = recipe.usesDraft ? [{ path: 'DRAFT.md', when: [] }] : [];
  for (const [index, block] of recipe.blocks.entries()) {
    const mine = listWrites(block);
    for (const read of listReads(block, index, source.blocks[index])) {
      const earlier = [...written, ...(read.path === findOwnInput(block) ? mine : [])];
      if (!read.path.startsWith('/') && !inherited.includes(read.path)) lintRead(lintable, index, read, earlier);
    }
    written.push(...mine);
    // An external command may write any file, so nothing can be called unwritten after it.
    if ('command' in block && block.command?.kind === 'external') return;
  }
}

function lintRead(lintable: LintableSequence, index: number, read: Read, earlier: readonly Written[]): void {
  const writers = earlier.filter(({ path }) => matchesPath(path, read.path) || matchesPath(read.path, path));
  if (writers.length === 0) {
    reportMissing(lintable, index, read);
  } else if (!read.namedMissing && !writers.some(({ when }) => when.every((part) => read.when.includes(part)))) {
    lintable.report.warning(
      read.place,
      `${quoteWord(read.path)} is written on a condition only, and read without it.`,
      {
        fix: 'Move it to `consult`, or give this block the same `when`.',
      },
    );
  }
}

function reportMissing({ recipe, report }: LintableSequence, index: number, read: Read): void {
  const later = recipe.blocks
    .slice(index)
    .find((other) => listWrites(other).some(({ path }) => matchesPath(path, read.path)));
  const self = later?.id === recipe.blocks[index]?.id;
  const hint = later === undefined ? '' : self ? '; this block does' : `; ${quoteWord(later.id)} does so later`;
  report.error(read.place, `No earlier block writes ${quoteWord(read.path)}${hint}.`, { within: read.path });
}

/** Returns the file that the agent writes for the block's own command; null when there is none. */
function findOwnInput(block: ResolvedBlock): string | null {
  return block.kind === 'llm+cli' ? block.write : null;
}

function listWrites(block: ResolvedBlock): Written[] {
  const when = block.when === undefined ? [] : [block.when];
  const unsure = block.onError.kind === 'continue' && block.kind !== 'subagent' ? [`${block.id} succeeded`] : [];
  const outputs = 'agents' in block ? block.agents : [];
  return [
    ...outputs.flatMap((agent) =>
      agent.output === undefined
        ? []
        : [{ path: agent.output, when: [...when, ...(agent.when === undefined ? [] : [agent.when])] }],
    ),
    ...(block.kind === 'llm+cli' ? [{ path: block.write, when: [...when, ...unsure] }] : []),
    ...listOwnCommands(block)
      .flatMap(({ command }) => listCommandOutputs(command.command, command.input))
      .map((path) => ({ path, when: [...when, ...unsure] })),
  ];
}

function listCommandOutputs(command: string, input: Record<string, unknown>): string[] {
  if (command === 'plan generate') return ['PLAN.md', 'plan-content.json'];
  if (command === 'cleanup') return ['summary.md'];
  if (command === 'analysis save' && typeof input['agent'] === 'string') return [`analysis/${input['agent']}.md`];
  return [];
}

function listReads(
  block: ResolvedBlock,
  index: number,
  raw: LintableSequence['source']['blocks'][number] | undefined,
): Read[] {
  const place = ['blocks', index];
  const when = block.when === undefined ? [] : [block.when];
  const reads: Read[] = [];
  for (const key of ['read', 'consult'] as const) {
    if (!('read' in block)) continue;
    for (const [at, path] of block[key].entries()) {
      reads.push({ path, place: [...place, key, at], namedMissing: key === 'consult', when });
    }
  }
  for (const [at, agent] of ('agents' in block ? block.agents : []).entries()) {
    for (const [item, path] of agent.readsFrom.entries()) {
      reads.push({ path, place: [...place, 'agents', at, 'readsFrom', item], namedMissing: true, when });
    }
  }
  if (block.kind === 'wait-for-user' && block.artifact !== undefined) {
    reads.push({ path: block.artifact, place: [...place, 'artifact'], namedMissing: false, when });
  }
  for (const { key, command } of listOwnCommands(block)) {
    const { data } = command.input;
    const stated = key === 'command' && raw !== undefined && !(key in raw) ? 'then' : key;
    if (typeof data === 'string') reads.push({ path: data, place: [...place, stated], namedMissing: false, when });
  }
  return reads;
}

/** Whether `path` matches `pattern`: placeholders and wildcards stand for any text, `dir/` for all below it. */
function matchesPath(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  if (pattern.endsWith('/') && path.startsWith(pattern)) return true;
  if (!/[{*]/.test(pattern)) return false;
  const parts = pattern
    .split(/\{[a-z][A-Za-z0-9_.-]*\}|\*+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`, 's').test(path);
}
