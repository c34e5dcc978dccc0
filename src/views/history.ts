import { DevCliError } from '../base/errors.js';
import { findMisfit } from '../documents/outline.js';
import outline from '../generated/entry-data.js';
import type { EntryData } from '../run/entries.js';
import type { Entry } from '../store/store.js';
import { addEvent, buildOtherItem, ITEM_BUILDERS, type ItemContext } from './history-item-builders.js';
import type { RunHistory } from './history-items.js';
import { createPatchTracker } from './patch-tracker.js';

/** Builds the history of all runs of a journal from its entries alone. */
export interface HistoryBuilder {
  /**
   * Takes the next entry. Entries must be given oldest first, without gaps.
   * @throws DevCliError `JOURNAL_CORRUPT` for an intact entry that dev-cli cannot have written
   */
  take(entry: Entry): void;
  /** Returns every run so far, oldest first. */
  runs(): RunHistory[];
}

/**
 * Creates a builder (storage.md, History). The same entries always give the same history. It keeps no patches, and
 * entries only until their commit is complete, so a long journal needs little memory. An entry of a type that this
 * version does not know becomes an item of kind `other`.
 */
export function createHistoryBuilder(): HistoryBuilder {
  const runs: RunHistory[] = [];
  const tracker = createPatchTracker();
  /** The newest path of each content, by digest. It names the artifact of a gate, whose entry has only the digest. */
  const places = new Map<string, string>();
  let commit: Entry[] = [];

  function addEntry(entry: Entry): void {
    const known = isKnown(entry);
    if (entry.type === 'init')
      runs.push(known ? createRunHistory(entry) : throwCorrupt(entry, 'it does not say what began'));
    // By id, because with `--force` one commit ends the earlier run and begins the next.
    const run = runs.findLast(({ runId }) => runId === entry.data['runId']) ?? runs.at(-1);
    if (run === undefined) return;
    run.last = entry.seq;
    run.lastAt = entry.at;
    const itemContext: ItemContext = {
      run,
      entry,
      evidence: (digests = {}) =>
        Object.entries(digests).map(([path, sha256]) => ({ path, sha256, ...tracker.known(path) })),
      document(digest) {
        const document = digest ? places.get(digest) : undefined;
        return document === undefined ? {} : { document };
      },
    };
    const build = known ? ITEM_BUILDERS[entry.type as keyof typeof ITEM_BUILDERS] : buildOtherItem;
    const { runId: _, ...data } = entry.data;
    (build as (context: ItemContext, data: object) => void)(itemContext, data);
  }

  function applyPatch(entry: Entry): void {
    try {
      tracker.take(entry);
    } catch {
      throwCorrupt(entry, 'the change it records does not fit the state before it');
    }
  }

  return {
    take(entry) {
      commit.push(entry);
      if (entry.more) return;
      applyPatch(entry);
      for (const { path, after } of entry.files) if (after !== null) places.set(after, path);
      for (const one of commit) addEntry(one);
      const run = runs.at(-1);
      if (run !== undefined) for (const text of tracker.warnings()) addEvent(run, entry, { kind: 'warning', text });
      commit = [];
    },
    runs: () => runs,
  };
}

/** Whether this version knows the entry's type, and its data has the expected form. */
function isKnown({ type, data }: Entry): boolean {
  const { properties = {} } = outline;
  const expected = Object.hasOwn(properties, type) ? properties[type] : undefined;
  return expected !== undefined && findMisfit(expected, data) === null;
}

function throwCorrupt({ seq }: Entry, problem: string): never {
  throw new DevCliError('JOURNAL_CORRUPT', `In events.jsonl, entry ${seq}: ${problem}. Nothing was changed.`, {
    details: [{ target: 'events.jsonl', problem: `entry ${seq}: ${problem}` }],
    fix: 'Show this to the user: events.jsonl of this run must be restored from a copy.',
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
