import type { Answer } from '../base/answer.js';
import type { InputOf } from '../registry/catalogue.js';
import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { StreamState } from '../store/store.js';
import { buildStatus } from '../views/status.js';
import { findRun, readRun } from './find-run.js';
import type { Ported } from './ports.js';
import { createRunView } from './run-view.js';

type Input = Pick<InputOf<'status'>, 'full'>;

/**
 * `status`: who waits for whom since when and what the reader can do, then the blocks and todos (protocol.md §5).
 * @throws DevCliError `NO_SUCH_RUN` and what the store throws
 */
export async function status(
  context: ReadContext & Ported<'sections'>,
  given: unknown,
  input: Input = {},
): Promise<Answer> {
  return renderStatus(context, await readRun(context, await findRun(context, given, false)), input);
}

/** What `status` tells of a run that was read. */
export function renderStatus(
  context: ReadContext & Ported<'sections'>,
  head: StreamState<RunState> & { snapshot: RunState },
  { full = false }: Input,
): Answer {
  return { exit: 0, ...buildStatus(createRunView(context, head), { sections: context.ports.sections, full }) };
}
