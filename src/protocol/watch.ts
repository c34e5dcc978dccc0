import type { StreamAnswer, StreamItem } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import type { InputOf } from '../registry/catalogue.js';
import type { HistoryContext } from '../run/context.js';
import type { RunState } from '../run/state.js';
import { findRun, readRun } from './find-run.js';
import type { Ported } from './ports.js';
import { renderStatus } from './status.js';

/** Milliseconds after which the status is sent again although nothing has changed: the durations in it have grown. */
const WAIT = 5000;

/**
 * `status --watch`: streams the status whenever the run has changed, until the run has ended (protocol.md §5). Takes no
 * lock and writes nothing.
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN` and what the store throws; while it streams also `INTERRUPTED`
 */
export async function watchStatus(
  context: HistoryContext & Ported<'sections'>,
  given: unknown,
  { full = false }: Pick<InputOf<'status'>, 'full'>,
): Promise<StreamAnswer> {
  const name = await findRun(context, given, false);
  await readRun(context, name);
  return { exit: 0, stream: streamStatus(context, name, full) };
}

/** The action that a person has to answer, if one is pending. */
function findQuestion({ pendingAction }: RunState): string | null {
  const action = pendingAction?.action;
  return action?.action === 'wait-for-user' ? action.actionId : null;
}

async function* streamStatus(
  context: HistoryContext & Ported<'sections'>,
  name: string,
  full: boolean,
): AsyncGenerator<StreamItem> {
  let asked: string | null | undefined;
  for (;;) {
    const head = await readRun(context, name);
    const { json, text } = renderStatus(context, head, { full });
    const { seq } = head;
    const asks = findQuestion(head.snapshot);
    // A question that was open when the watch began is no news.
    const rings = asked !== undefined && asks !== null && asks !== asked ? { rings: `${name} waits for you` } : {};
    asked = asks;
    yield { json: { seq, type: 'status', ...json }, text: (format) => text?.(format) ?? null, block: true, ...rings };
    const { status } = head.snapshot;
    if (status !== 'live') {
      yield { json: { seq, type: 'end', ok: true, status }, text: () => null };
      return;
    }
    await context.store.grown(name, head.size, { milliseconds: WAIT, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted. The run goes on without a watcher.');
  }
}
