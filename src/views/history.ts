import { DevCliError } from '../base/errors.js';
import outline from '../generated/entry-data.js';
import { misfit } from '../run/codec.js';
import type { EntryData } from '../run/entries.js';
import type { Entry } from '../store/store.js';
import { addEvent, buildOtherItem, ITEM_BUILDERS, type ItemContext } from './history-item-builders.js';
import type { RunHistory } from './history-items.js';
import { createPatchTracker } from './patch-tracker.js';

/** Tells the runs of a journal from its entries alone. */
export interface HistoryBuilder {
  /** Takes the next entry; all of a journal, oldest first. */
  take(entry: Entry): void;
  /** Every run so far, oldest first. */
  runs(): RunHistory[];
}

/**
 * Makes history of entries (storage.md, History). Pure: the same entries give the same history. It keeps no patch and no
 * entry longer than its commit, so that a long journal needs little memory.
 *
 * `take` throws DevCliError `JOURNAL_CORRUPT` for an entry that is intact and still none of ours; one that is merely not
 * known in this version is told as it is.
 */
export function createHistoryBuilder(): HistoryBuilder {
  const runs: RunHistory[] = [];
  const watch = createPatchTracker();
  /** Where a content was seen last, by digest: what a gate's digest stands for. */
  const places = new Map<string, string>();
  let commit: Entry[] = [];

  function tell(entry: Entry): void {
    const known = isKnown(entry);
    if (entry.type === 'init')
      runs.push(known ? createRunHistory(entry) : throwCorrupt(entry, 'it does not say what began'));
    // By id: `--force` ends the run before in the commit that begins the next.
    const run = runs.findLast(({ runId }) => runId === entry.data['runId']) ?? runs.at(-1);
    if (run === undefined) return;
    run.last = entry.seq;
    run.lastAt = entry.at;
    const telling: ItemContext = {
      run,
      entry,
      evidence: (digests = {}) =>
        Object.entries(digests).map(([path, sha256]) => ({ path, sha256, ...watch.known(path) })),
      document(digest) {
        const document = digest ? places.get(digest) : undefined;
        return document === undefined ? {} : { document };
      },
    };
    const teller = known ? ITEM_BUILDERS[entry.type as keyof typeof ITEM_BUILDERS] : buildOtherItem;
    const { runId: _, ...data } = entry.data;
    (teller as (telling: ItemContext, data: object) => void)(telling, data);
  }

  function follow(entry: Entry): void {
    try {
      watch.take(entry);
    } catch {
      throwCorrupt(entry, 'the change it records does not fit the state before it');
    }
  }

  return {
    take(entry) {
      commit.push(entry);
      if (entry.more) return;
      follow(entry);
      for (const { path, after } of entry.files) if (after !== null) places.set(after, path);
      for (const one of commit) tell(one);
      const run = runs.at(-1);
      if (run !== undefined) for (const text of watch.warnings()) addEvent(run, entry, { kind: 'warning', text });
      commit = [];
    },
    runs: () => runs,
  };
}

/** Whether an entry is of a type, and its data of the shape, that this version writes. */
function isKnown({ type, data }: Entry): boolean {
  const { properties = {} } = outline;
  const expected = Object.hasOwn(properties, type) ? properties[type] : undefined;
  return expected !== undefined && misfit(expected, data) === null;
}

function throwCorrupt({ seq }: Entry, problem: string): never {
  throw new DevCliError('JOURNAL_CORRUPT', `In events.jsonl, entry ${seq}: ${problem}. Nothing was changed.`, {
    details: [{ target: 'events.jsonl', problem: `entry ${seq}: ${problem}` }],
    fix: 'Show this to the user: events.jsonl of this run has to be restored from a copy.',
  });
}

function createRunHistory(entry: Entry): RunHistory {
  const { runId, ...data } = entry.data as unknown as EntryData<'init'>;
  const { seq, at, by } = entry;
  return {
    runId,
    ...data,
    forkedFrom: data.forkedFrom ?? null,
    at,
    by,
    first: seq,
    last: seq,
    status: 'live',
    lastAt: at,
    items: [],
  };
}
