import type { StreamAnswer, StreamItem } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { noSuchRunError } from '../../base/no-such-run.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { HistoryContext } from '../../run/context.js';
import { BEGINNING, type Cursor, type Entry } from '../../store/store.js';
import { renderEntry } from '../../views/history-text.js';
import { findRun } from '../find/find-run.js';
import { TORN_WARNING } from './checkpoint.js';

type Input = Omit<InputOf<'journal'>, 'name'>;

/** Entries held in memory at once. */
const BATCH = 200;

/** Milliseconds after which the journal is read again although the store has announced nothing. */
const WAIT = 1000;

/**
 * `journal`: streams the entries of a name, without the contents of documents, oldest first; the last item is the end (protocol.md §1; storage.md,
 * History). Takes no lock.
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN`, `JOURNAL_CORRUPT` and what the store throws; while it streams also `INTERRUPTED`
 */
export async function journal(context: HistoryContext, given: unknown, input: Input): Promise<StreamAnswer> {
  const name = await findRun(context, given, false);
  const { snapshot } = await context.store.read(name);
  if (snapshot === null) throw noSuchRunError(name);
  return { exit: 0, stream: streamEntries(context, name, input), recorded: true };
}

async function* streamEntries(context: HistoryContext, name: string, input: Input): AsyncGenerator<StreamItem> {
  let at: Cursor = BEGINNING;
  for (;;) {
    const { behind, complete, size, torn, entries } = await readBatch(context, name, at, input.since ?? 0);
    at = behind;
    // Contents would fill the screen, and an agent's context; `fork` and `replay --at` give them.
    for (const { texts: _texts, ...entry } of entries) yield { json: entry, text: () => renderEntry(entry) };
    await throwIfInterrupted(context.signal);
    if (!complete) continue;
    const { snapshot, seq } = await context.store.read(name);
    if (input.follow !== true || (snapshot?.status !== 'live' && seq === at.seq)) {
      yield buildEndItem(at.seq, snapshot?.status ?? 'live', torn);
      return;
    }
    if (seq === at.seq) await context.store.grown(name, size, { milliseconds: WAIT, signal: context.signal });
  }
}

async function readBatch(context: HistoryContext, name: string, from: Cursor, since: number) {
  const entries: Entry[] = [];
  const scanned = await context.store.scan(name, from, (entry) => {
    if (entry.seq > since) entries.push(entry);
    return entries.length < BATCH;
  });
  return { ...scanned, entries };
}

/** Pauses for one turn of the event loop, without which a Ctrl-C would go unnoticed. */
async function throwIfInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
}

/** @param seq number of the last entry, from which `--since` continues in a later call */
function buildEndItem(seq: number, status: string, torn: boolean): StreamItem {
  const json = { seq, type: 'end', ok: true, status, ...(torn ? { warnings: [TORN_WARNING] } : {}) };
  return { json, text: () => (torn ? `! ${TORN_WARNING}` : null) };
}
