import { join } from 'node:path';
import { computeAside } from '../jobs/aside.js';
import type { ImportEnding, ImportRequest } from '../plan/import/import-plan.js';
import type { SourceFile } from '../plan/import/source-plan.js';
import type { VisibleEnding } from '../plan/import/visible.js';
import type { Context } from '../run/context.js';

/** Markdown that somebody else wrote is read in a thread: it may be made to keep its reader busy for minutes. */

/** What such a text takes at most, in milliseconds of processor time; a real one takes a second. */
export const READING_MS = 20_000;

/** What is read in the thread. */
export type ReadingRequest = { kind: 'plan'; request: ImportRequest } | { kind: 'visible'; file: SourceFile };

type Scene = Pick<Context, 'library' | 'signal'>;

/**
 * Makes a plan of what was written for another tool.
 * @returns null where that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function importAside(scene: Scene, request: ImportRequest): Promise<ImportEnding | null> {
  return readAside<ImportEnding>(scene, { kind: 'plan', request });
}

/**
 * Takes out of a text what its reader does not see.
 * @returns null where that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function showAside(scene: Scene, file: SourceFile): Promise<VisibleEnding | null> {
  return readAside<VisibleEnding>(scene, { kind: 'visible', file });
}

function readAside<T>({ library, signal }: Scene, request: ReadingRequest): Promise<T | null> {
  const program = join(library.shipped, 'dist', 'importer.cjs');
  return computeAside<T>(program, request, { signal, processorMs: READING_MS });
}
