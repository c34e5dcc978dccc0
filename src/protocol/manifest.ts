import type { Answer } from '../base/answer.js';
import type { ReadContext } from '../run/context.js';
import { manifestOf } from '../views/manifest.js';
import { findRun } from './find-run.js';
import type { Ported } from './ports.js';
import { withRare } from './rare.js';
import { viewOf } from './run-view.js';
import { readRun } from './running.js';
import type { Asking } from './turns.js';

/**
 * `manifest`: all that an agent needs after its context was compacted, ending with the pending action (protocol.md §5).
 * @throws DevCliError `NO_SUCH_RUN`, `DOCUMENT_UNREADABLE` and what the store throws
 */
export function manifest(context: ReadContext & Ported<'sections'>, given: unknown): Promise<Answer> {
  return withRare((rare) => manifestWith(context, given, rare));
}

/** The same with what is rare handed in, for who can do without it. */
export async function manifestWith(
  context: ReadContext & Ported<'sections'>,
  given: unknown,
  rare: Asking,
): Promise<Answer> {
  const head = await readRun(context, await findRun(context, given, false));
  return { exit: 0, ...manifestOf(viewOf(context, head, rare), context.ports.sections) };
}
