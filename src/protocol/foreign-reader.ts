import { join } from 'node:path';
import { computeInWorker } from '../jobs/aside.js';
import type { ForeignText, VisibleEnding } from '../plan/markdown/visible.js';
import type { Context } from '../run/context.js';

/**
 * Parses other people's Markdown in a separate thread, because a crafted text can keep a parser busy for minutes.
 */

/** Milliseconds of processor time that one text may take; an ordinary text takes up to a second. */
export const READING_MS = 20_000;

/** A request to the thread: which function to run (a key of `READINGS` in src/app/ports.ts), and its input. */
export interface ReadingRequest {
  kind: string;
  given: unknown;
}

type Scene = Pick<Context, 'library' | 'signal'>;

/**
 * Removes the parts of a Markdown text that a reader of the page does not see, such as HTML comments.
 * @returns null if that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function stripHiddenInWorker(scene: Scene, given: ForeignText): Promise<VisibleEnding | null> {
  return readInWorker<VisibleEnding>(scene, { kind: 'visible', given });
}

/**
 * Has the thread carry out a request.
 * @returns null if that takes too long
 * @throws DevCliError `INTERRUPTED`
 */
export function readInWorker<T>({ library, signal }: Scene, request: ReadingRequest): Promise<T | null> {
  const program = join(library.shipped, 'dist', 'importer.cjs');
  return computeInWorker<T>(program, request, { signal, processorMs: READING_MS });
}
