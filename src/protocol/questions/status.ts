import type { Answer } from '../../base/answer.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { ReadContext } from '../../run/context.js';
import { readCost } from '../../run/cost.js';
import type { RunHead } from '../../run/state.js';
import { buildStatus } from '../../views/status.js';
import { findRun, readRun } from '../find/find-run.js';
import type { WithPorts } from '../ports.js';
import { createRunView } from './run-view.js';

type Input = Pick<InputOf<'status'>, 'full'>;

/**
 * `status`: shows who is waiting for whom and since when, what whoever reads it can do next, then the blocks and todos
 * (protocol.md §5).
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN` and any error of the store
 */
export async function showStatus(
  context: ReadContext & WithPorts<'sections'>,
  given: unknown,
  input: Input = {},
): Promise<Answer> {
  return renderStatus(context, await readStatus(context, given, input), input);
}

/** Reads the run that `showStatus` is about. @throws DevCliError as `showStatus` */
export async function readStatus(context: ReadContext, given: unknown, input: Input): Promise<RunHead> {
  const name = await findRun(context, given, false, (ended) => ({
    command: 'status',
    input: { name: ended, ...input },
  }));
  return readRun(context, name);
}

/** Builds the answer of `showStatus` for a run that was already read. */
export function renderStatus(context: ReadContext & WithPorts<'sections'>, head: RunHead, input: Input): Answer {
  return { exit: 0, ...buildStatus(...prepareStatus(context, head, input)) };
}

/** Builds the arguments of `buildStatus`. */
export function prepareStatus(
  context: ReadContext & WithPorts<'sections'>,
  head: RunHead,
  { full = false }: Input,
): Parameters<typeof buildStatus> {
  const { sections } = context.ports;
  // The cost needs the journal. Without `--full`, a live run's status omits it, since programs poll it all the time.
  const tellsCost = full || (head.snapshot.status !== 'live' && head.size <= GLANCE);
  const cost = tellsCost ? readCost({ ...head, runId: head.snapshot.runId }) : undefined;
  return [createRunView(context, head), { sections, full, cost }];
}

/** Largest journal, in bytes, that `status` reads without `--full`; reading it takes less than a tenth of a second. */
const GLANCE = 4 * 1024 * 1024;
