import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import { listBlockTemplates } from '../../../recipe/blocks/block-forms.js';
import { listInherited } from '../../../recipe/declared.js';
import { findExternalCommand } from '../../../recipe/external-commands.js';
import { listReads } from '../../../recipe/lint/files.js';
import type { ResolvedBlock, ResolvedRecipe } from '../../../recipe/resolved.js';
import { listUnpromised } from '../../../recipe/writes.js';

/**
 * Documents that no block promises: an agent writes them because its instruction says so, or a command writes them. A
 * rehearsal must write them itself; otherwise a later action would silently omit them from its `read` (authoring.md,
 * Simulations).
 */

/**
 * Lists the documents that a rehearsal writes when a block's agent or command is done: those that the block's text
 * names but the block does not read. After an external command, also those that are read somewhere but that no other
 * block's text names in this way: then only a command can have written them.
 */
export function listCannedDocuments(
  recipe: ResolvedRecipe,
  block: ResolvedBlock,
  by: 'agent' | 'command',
): readonly string[] {
  const { blocks, artifacts } = recipe;
  const who = BLOCK_KINDS[block.kind].by;
  if (who === 'person' || who === 'engine') return [];
  const reads = blocks.map((one, at) => listReads(one, at, undefined).map(({ path }) => path));
  const inherited = listInherited(recipe);
  const named = [...new Set([...reads.flat(), ...(artifacts ?? [])])].filter(
    (path) => isOneDocument(path) && !inherited.includes(path),
  );
  const own = reads[blocks.indexOf(block)] ?? [];
  return listUnpromised(named, [recipe]).filter((path) => {
    const isNamed = (one: ResolvedBlock) => listBlockTemplates(one).some((text) => names(text, path));
    if (isNamed(block)) return !own.includes(path);
    return (
      by === 'command' &&
      findExternalCommand(block) !== null &&
      !blocks.some((one, at) => !reads[at]?.includes(path) && isNamed(one))
    );
  });
}

/** Returns whether a path is a single document of the run, not a pattern, a directory, or a file of the project. */
function isOneDocument(path: string): boolean {
  return !/[{}*?]|\/$|^\//.test(path) && !path.split('/').includes('..');
}

/** Returns whether a text names a document of the run: by its path in the run, alone or after `{name}/`. */
function names(text: string, path: string): boolean {
  const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?:^|[^\\w./-]|\\{name\\}/)${literal}(?![\\w/-])`, 'm').test(text);
}
