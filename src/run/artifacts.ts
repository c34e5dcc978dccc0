import type { DocumentReader } from '../base/files.js';
import type { RunState } from './state.js';

/** What a document was when the run began. */
type Found = NonNullable<RunState['found']>[string];

/** Describes a document for `found` of the state; null where none is. */
export function describeFound(files: DocumentReader, path: string): Found {
  const facts = files.facts(path);
  if (facts.kind !== 'file') return null;
  const { size, mtimeMs, ctimeMs, inode } = facts;
  return { size, mtimeMs, ctimeMs, inode };
}

/**
 * Lists which of these documents are there as the work of this run (recipes.md §1): those that it has recorded as
 * written, and those that no block promises and that are not as the run found them.
 * @param written what the run has recorded, the transaction at work included
 */
export function listArtifactsWritten(
  paths: readonly string[],
  { found = {}, written }: Pick<RunState, 'found' | 'written'>,
  files: DocumentReader,
): string[] {
  return paths.filter((path) => {
    const now = describeFound(files, path);
    if (now === null) return false;
    return written.includes(path) || (Object.hasOwn(found, path) && !isSame(found[path] ?? null, now));
  });
}

function isSame(before: Found, now: NonNullable<Found>): boolean {
  return (
    before !== null &&
    before.size === now.size &&
    before.mtimeMs === now.mtimeMs &&
    before.ctimeMs === now.ctimeMs &&
    before.inode === now.inode
  );
}
