import type { StreamAnswer, StreamItem } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { HistoryContext } from '../../run/context.js';
import { findRun, readRun } from '../find/find-run.js';
import type { WithPorts } from '../ports.js';
import { createBell } from './bell.js';
import { createNotifier, type NotifierContext } from './notifier.js';
import { renderStatus } from './status.js';

/** Milliseconds after which the status is sent again even without a change, because durations in it grow. */
const WAIT = 5000;

/**
 * `status --watch`: streams the status at every change until the run ends, and notifies a person of each gate that
 * opens (protocol.md §5). Takes no lock and writes nothing.
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN` and any error of the store; while streaming also `INTERRUPTED`
 */
export async function watchStatus(
  context: HistoryContext & NotifierContext & WithPorts<'sections'>,
  given: unknown,
  { full = false }: Pick<InputOf<'status'>, 'full'>,
): Promise<StreamAnswer> {
  const name = await findRun(context, given, false);
  await readRun(context, name);
  return { exit: 0, stream: streamStatus(context, name, full) };
}

async function* streamStatus(
  context: HistoryContext & NotifierContext & WithPorts<'sections'>,
  name: string,
  full: boolean,
): AsyncGenerator<StreamItem> {
  const notifier = createNotifier(context);
  const bell = createBell(notifier);
  function* listReports(seq: number): Generator<StreamItem> {
    for (const message of notifier.takeReports()) yield { json: { seq, type: 'notice', message }, text: () => message };
  }
  try {
    for (;;) {
      const head = await readRun(context, name);
      const { json, text } = renderStatus(context, head, { full });
      const { seq } = head;
      const rung = bell.hear(head.snapshot);
      const rings = rung === null ? {} : { rings: rung };
      yield { json: { seq, type: 'status', ...json }, text: (format) => text?.(format) ?? null, block: true, ...rings };
      yield* listReports(seq);
      const { status } = head.snapshot;
      if (status !== 'live') {
        await notifier.finish();
        yield* listReports(seq);
        yield { json: { seq, type: 'end', ok: true, status }, text: () => null };
        return;
      }
      await context.store.grown(name, head.size, { milliseconds: WAIT, signal: context.signal });
      if (context.signal.aborted)
        throw new DevCliError('INTERRUPTED', 'Interrupted. The run continues without a watcher.');
    }
  } finally {
    notifier.stop();
  }
}
