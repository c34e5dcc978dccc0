import { join } from 'node:path';
import { computeAside } from '../jobs/aside.js';
import type { ForeignText, VisibleEnding } from '../plan/markdown/visible.js';
import type { Context } from '../run/context.js';

/** Markdown that somebody else wrote is read in a thread: it may be made to keep its reader busy for minutes. */

/** What such a text takes at most, in milliseconds of processor time; a real one takes a second. */
export const READING_MS = 20_000;

/** What the thread is asked: a kind of reading (`READINGS` in src/app/ports.ts), and what it reads. */
export interface ReadingRequest {
  kind: string;
  given: unknown;
}

type Scene = Pick<Context, 'library' | 'signal'>;

/**
 * Takes out of a text what its reader does not see.
 * @returns null where that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function showAside(scene: Scene, given: ForeignText): Promise<VisibleEnding | null> {
  return readAside<VisibleEnding>(scene, { kind: 'visible', given });
}

/**
 * Has the thread read something.
 * @returns null where that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function readAside<T>({ library, signal }: Scene, request: ReadingRequest): Promise<T | null> {
  const program = join(library.shipped, 'dist', 'importer.cjs');
  return computeAside<T>(program, request, { signal, processorMs: READING_MS });
}
