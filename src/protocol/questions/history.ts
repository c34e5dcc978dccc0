import type { Answer, StreamAnswer, StreamItem } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { Instruction } from '../../base/invocation.js';
import { noSuchRunError } from '../../base/name.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { HistoryContext } from '../../run/context.js';
import { BEGINNING, type Entry, type JournalCursor } from '../../store/store.js';
import { createHistoryBuilder } from '../../views/history.js';
import type { HistoryItem, RunHistory } from '../../views/history-items.js';
import { nameSubject, renderEntry, renderHistory, type ShownRun } from '../../views/history-text.js';
import { findRun, readRun } from '../find/find-run.js';
import { TORN_WARNING } from './checkpoint.js';

type Input = Omit<InputOf<'history'>, 'name'>;

/** How many of a run's items the text shows if `--last` is not given. */
const SHOWN = 100;

/**
 * `history`: shows who did what and when, how long it took, in how many rounds, and on what evidence (storage.md,
 * History).
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN`, `UNKNOWN_BLOCK`, `JOURNAL_CORRUPT`, `STATE_CORRUPT` and any error of the store
 */
export async function showHistory(context: HistoryContext, given: unknown, input: Input): Promise<Answer> {
  const name = await findRun(context, given, false, (ended) => ({ command: 'history', input: { name: ended } }));
  // Called only for its errors: for a copied directory, another run's journal, or a journal that lost its end.
  await readRun(context, name);
  const builder = createHistoryBuilder();
  const subjects = new Map<number, string>();
  const { torn } = await context.store.scan(name, BEGINNING, (entry) => {
    builder.take(entry);
    const subject = nameSubject(entry);
    if (subject !== undefined) subjects.set(entry.seq, subject);
    return true;
  });
  const all = builder.runs();
  const chosen = selectRuns(name, all, input);
  const narrowed = input.step === undefined ? chosen : selectBlock(name, chosen, input.step);
  const warnings = torn ? [TORN_WARNING] : [];
  const json = { ok: true, run: name, runs: narrowed.map((run) => keepNewest(run, input.last)), warnings };
  const view = {
    name,
    runs: narrowed.map((run) => keepNewest(run, input.last ?? SHOWN)),
    of: all.length,
    detailed: input.step !== undefined,
    warnings,
    now: context.clock.now(),
  };
  return {
    exit: 0,
    json,
    text: (format) => renderHistory(view, format),
    lines: async (format, columns) =>
      (await import('../../views/frames/history.js')).layOutHistory(view, subjects, { format, columns }),
  };
}

function keepNewest(run: RunHistory, count: number | undefined): ShownRun {
  const items = run.items.slice(Math.max(0, run.items.length - (count ?? Number.POSITIVE_INFINITY)));
  return { ...run, items, left: run.items.length - items.length };
}

/** Selects the runs to show. @throws DevCliError `NO_SUCH_RUN` if an id or its beginning matches no run or several */
function selectRuns(name: string, runs: RunHistory[], { run: id, all }: Input): RunHistory[] {
  if (all === true) return runs;
  if (id === undefined) return runs.slice(-1);
  const found = runs.filter(({ runId }) => runId === id);
  const near = found.length > 0 ? found : runs.filter(({ runId }) => runId.startsWith(id));
  if (near.length === 1) return near;
  throw new DevCliError(
    'NO_SUCH_RUN',
    `"${name}" has ${near.length === 0 ? 'no' : 'more than one'} run with that id.`,
    {
      details: runs.map(({ runId, at, status }) => ({ target: runId, problem: `${status}, began ${at}` })),
      fix: { command: 'history', input: { name, all: true } },
    },
  );
}

/**
 * Leaves only items about one block.
 * @param step the block's id or its beginning
 * @throws DevCliError `UNKNOWN_BLOCK` if no block in these items matches `step`, or several do
 */
function selectBlock(name: string, runs: RunHistory[], step: string): RunHistory[] {
  const known = [...new Set(runs.flatMap(({ items }) => items.flatMap(listBlocks)))];
  const fitting = known.includes(step) ? [step] : known.filter((block) => block.startsWith(step));
  const [block] = fitting;
  if (block === undefined || fitting.length > 1) {
    const what = block === undefined ? 'Nothing happened at' : 'Several blocks begin with';
    throw new DevCliError('UNKNOWN_BLOCK', `${what} ${JSON.stringify(step.slice(0, 80))} in this run.`, {
      run: name,
      fix: [`Name one of: ${known.join(', ')}.`, ...runs.flatMap((run) => renderForkHint(run, step))],
    });
  }
  return runs.map((run) => ({ ...run, items: run.items.filter((item) => listBlocks(item).includes(block)) }));
}

/** If the run is a fork, suggests the history of the original run, which has all that happened before the fork. */
function renderForkHint({ forkedFrom: from }: RunHistory, step: string): Instruction {
  if (from === null) return [];
  return [
    ` Before the fork (up to entry ${from.seq}): `,
    { command: 'history', input: { name: from.name, run: from.runId, step } },
  ];
}

function listBlocks(item: HistoryItem): string[] {
  const own = 'block' in item && item.block !== undefined ? [item.block] : [];
  return item.kind === 'invalidated' ? [...own, ...item.stale] : own;
}

type JournalInput = Omit<InputOf<'journal'>, 'name'>;

/** How many entries are held in memory at once. */
const BATCH = 200;

/** Milliseconds after which the journal is read again even if the store has announced no change. */
const WAIT = 1000;

/**
 * `journal`: streams the entries of a name, oldest first, without the contents of documents; the last item marks the
 * end (protocol.md §1; storage.md, History). Takes no lock.
 * @param given the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN`, `JOURNAL_CORRUPT` and any error of the store; while streaming also `INTERRUPTED`
 */
export async function streamJournal(
  context: HistoryContext,
  given: unknown,
  input: JournalInput,
): Promise<StreamAnswer> {
  const name = await findRun(context, given, false, (ended) => ({ command: 'journal', input: { name: ended } }));
  const { snapshot } = await context.store.read(name);
  if (snapshot === null) throw noSuchRunError(name);
  return { exit: 0, stream: streamEntries(context, name, input), recorded: true };
}

async function* streamEntries(context: HistoryContext, name: string, input: JournalInput): AsyncGenerator<StreamItem> {
  let at: JournalCursor = BEGINNING;
  for (;;) {
    const { behind, complete, size, torn, entries } = await readBatch(context, name, at, input.since ?? 0);
    at = behind;
    // `texts`, the contents of documents, are left out, since they would fill the screen or an agent's context.
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

async function readBatch(context: HistoryContext, name: string, from: JournalCursor, since: number) {
  const entries: Entry[] = [];
  const scanned = await context.store.scan(name, from, (entry) => {
    if (entry.seq > since) entries.push(entry);
    return entries.length < BATCH;
  });
  return { ...scanned, entries };
}

/** Pauses for one turn of the event loop; without that, a Ctrl-C would go unnoticed. */
async function throwIfInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted.');
}

/**
 * Builds the last item of the stream.
 * @param seq number of the last entry, from which a later call with `--since` can continue
 */
function buildEndItem(seq: number, status: string, torn: boolean): StreamItem {
  const json = { seq, type: 'end', ok: true, status, ...(torn ? { warnings: [TORN_WARNING] } : {}) };
  return { json, text: () => (torn ? `! ${TORN_WARNING}` : null) };
}
