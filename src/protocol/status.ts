import type { Answer } from '../base/answer.js';
import type { InputOf } from '../registry/catalogue.js';
import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import { statusOf } from '../views/status.js';
import { findRun } from './find-run.js';
import type { Ported } from './ports.js';
import { withRare } from './rare.js';
import { viewOf } from './run-view.js';
import { readRun } from './running.js';
import type { Asking } from './turns.js';

type Input = Pick<InputOf<'status'>, 'full'>;

/**
 * `status`: who waits for whom since when and what the reader can do, then the blocks and todos (protocol.md §5).
 * @throws DevCliError `NO_SUCH_RUN` and what the store throws
 */
export function status(context: ReadContext & Ported<'sections'>, given: unknown, input: Input = {}): Promise<Answer> {
  return withRare((rare) => statusWith(context, given, rare, input));
}

/** The same with what is rare handed in, for who can do without it. */
export async function statusWith(
  context: ReadContext & Ported<'sections'>,
  given: unknown,
  rare: Asking,
  input: Input = {},
): Promise<Answer> {
  return statusAnswer(context, await readRun(context, await findRun(context, given, false)), rare, input);
}

/** What `status` tells of a run that was read. */
export function statusAnswer(
  context: ReadContext & Ported<'sections'>,
  head: Head<RunState> & { snapshot: RunState },
  rare: Asking,
  { full = false }: Input,
): Answer {
  return { exit: 0, ...statusOf(viewOf(context, head, rare), { sections: context.ports.sections, full }) };
}
