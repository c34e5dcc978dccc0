import type { Answer } from '../../base/answer.js';
import type { ReadContext } from '../../run/context.js';
import { buildManifest } from '../../views/manifest.js';
import { findRun, readRun } from '../find/find-run.js';
import type { WithPorts } from '../ports.js';
import { createRunView } from './run-view.js';

/**
 * `manifest`: shows everything about the run that an agent needs after its context was compacted, ending with the
 * pending action (protocol.md §5).
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN`, `DOCUMENT_UNREADABLE` and any error of the store
 */
export async function showManifest(context: ReadContext & WithPorts<'sections'>, given: unknown): Promise<Answer> {
  const head = await readRun(context, await findRun(context, given, false));
  return { exit: 0, ...buildManifest(createRunView(context, head), context.ports.sections, context) };
}
