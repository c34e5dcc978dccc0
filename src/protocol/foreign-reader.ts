import { join } from 'node:path';
import { computeInWorker } from '../jobs/aside.js';
import type { ForeignText, VisibleEnding } from '../plan/markdown/visible.js';
import type { Context } from '../run/context.js';

/**
 * Parses Markdown written by others in a separate thread, because a crafted text can keep a parser busy for minutes.
 */

/** Processor time that one text may take, in milliseconds; an ordinary text takes up to a second. */
export const READING_MS = 20_000;

/** A request to the thread: a kind of reading (`READINGS` in src/app/ports.ts), and its input. */
export interface ReadingRequest {
  kind: string;
  given: unknown;
}

type Scene = Pick<Context, 'library' | 'signal'>;

/**
 * Removes from a text what its reader does not see.
 * @returns null if that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function stripHiddenInWorker(scene: Scene, given: ForeignText): Promise<VisibleEnding | null> {
  return readInWorker<VisibleEnding>(scene, { kind: 'visible', given });
}

/**
 * Has the thread carry out a reading.
 * @returns null if that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function readInWorker<T>({ library, signal }: Scene, request: ReadingRequest): Promise<T | null> {
  const program = join(library.shipped, 'dist', 'importer.cjs');
  return computeInWorker<T>(program, request, { signal, processorMs: READING_MS });
}
