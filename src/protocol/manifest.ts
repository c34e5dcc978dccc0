import type { Answer } from '../base/answer.js';
import type { ReadContext } from '../run/context.js';
import { buildManifest } from '../views/manifest.js';
import { findRun } from './find-run.js';
import { loadOnDemand } from './on-demand.js';
import type { Ported } from './ports.js';
import { viewOf } from './run-view.js';
import { readRun } from './running.js';
import type { QueryDependencies } from './transact.js';

/**
 * `manifest`: all that an agent needs after its context was compacted, ending with the pending action (protocol.md §5).
 * @throws DevCliError `NO_SUCH_RUN`, `DOCUMENT_UNREADABLE` and what the store throws
 */
export function manifest(context: ReadContext & Ported<'sections'>, given: unknown): Promise<Answer> {
  return loadOnDemand((onDemand) => manifestWith(context, given, onDemand));
}

/** The same with what is rare handed in, for who can do without it. */
export async function manifestWith(
  context: ReadContext & Ported<'sections'>,
  given: unknown,
  onDemand: QueryDependencies,
): Promise<Answer> {
  const head = await readRun(context, await findRun(context, given, false));
  return { exit: 0, ...buildManifest(viewOf(context, head, onDemand), context.ports.sections) };
}
