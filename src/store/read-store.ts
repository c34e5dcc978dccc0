import { type Clock, formatInstant } from '../base/clock.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { readContents, scanJournal } from './history.js';
import {
  checkRecent,
  type JournalReader,
  journalCorruptError,
  listEntriesAbove,
  listLastCommit,
  readTail,
  readTailAt,
  type Tail,
} from './journal.js';
import { type StoreLayout, streamPath } from './layout.js';
import { nativeCrc32 } from './line.js';
import type { ReadMedium } from './medium.js';
import { isOfEarlierBoot } from './process.js';
import { overlayDocuments, planRedo, type Redo } from './redo.js';
import { applyEntries, parseSnapshot, serializeSnapshot } from './snapshot.js';
import {
  BEGINNING,
  type Codec,
  type Entry,
  type JournalPast,
  type ReadStore,
  type StreamState,
  type WithSeq,
} from './store.js';

/** How much of the journal's end is checked before a commit, in bytes. */
const RECENT = 256 * 1024;

/** Maximum number of attempts of a reader if a writer interferes. */
const LOOKS = 20;

/** A stream as found on opening: journal and stored snapshot are reconciled in memory, and nothing is written yet. */
export interface OpenedStream<S extends WithSeq> {
  tail: Tail;
  snapshot: S | null;
  /** The snapshot's text as it will be stored once every commit is finished; null before the first commit. */
  text: string | null;
  /** Entries of commits that a crash may have interrupted. */
  open: Entry[];
  /** The stored snapshot compared with the journal. `unusable`: it exists, but can neither be parsed nor patched. */
  stored: 'current' | 'behind' | 'missing' | 'unusable';
  /** See `StreamState.rebooted`. */
  rebooted: boolean;
  /** See `StreamState.stale`. */
  stale: string[];
  redo: Redo;
  notices: string[];
}

/** How a journal ends. */
type Found = Pick<OpenedStream<WithSeq>, 'tail' | 'rebooted'>;

/** Opens streams. */
export interface StreamOpener<S extends WithSeq> {
  /** Opens a stream for a writer that holds the lock. Checks the end of the journal, which is about to grow. */
  underLock(stream: string): OpenedStream<S>;
  /**
   * Opens a stream for a reader without a lock. Meanwhile a writer may finish a commit that looked unfinished and start
   * another, whose documents would look like foreign changes. So it reads again if the stored snapshot has changed.
   */
  undisturbed(stream: string): OpenedStream<S>;
  /** Caches a snapshot that was just written, so that this process need not parse it again. */
  remember(text: string, snapshot: S): void;
  /** Converts an opened stream to the form that callers get. */
  toStreamState(stream: string, state: OpenedStream<S>, files: StreamState<S>['files']): StreamState<S>;
}

/** The options for opening a stream. */
export interface FinderOptions<S extends WithSeq> {
  layout: StoreLayout;
  medium: ReadMedium;
  codec: Codec<S>;
  clock: Clock;
}

/** Finds the end of a journal; `stored` is the snapshot that the caller already has. */
export type ReadTail = (bytes: JournalReader, stored: WithSeq | null) => Tail;

const checkedTail: ReadTail = (bytes) => readTail(bytes, nativeCrc32);

const thoroughTail: ReadTail = (bytes) => {
  const tail = readTail(bytes, nativeCrc32);
  checkRecent(bytes, tail, RECENT);
  return tail;
};

/**
 * Finds the end for readers that need nothing from the journal if the snapshot is current. Skips the checksum of the
 * last line, which would take a third of such a read; writers, and readers of the journal itself, verify it.
 */
export const readTailBySnapshot: ReadTail = (bytes, stored) =>
  (stored === null ? null : readTailAt(bytes, stored.seq)) ?? readTail(bytes);

/**
 * Creates the opener of streams, which reconciles journal and stored snapshot (storage.md, Recovery).
 * @param forReaders finds the journal's end for readers, and so decides how much of it they check
 * @throws every method: DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO`
 */
export function createStreamOpener<S extends WithSeq>(
  { layout, medium, codec, clock }: FinderOptions<S>,
  forReaders: ReadTail = checkedTail,
): StreamOpener<S> {
  /** Caches the last snapshot parsed, since one call reads the same snapshot several times. */
  let last: { text: string; snapshot: S | null } | null = null;

  function parseStored(text: string): S | null {
    if (last?.text !== text) last = { text, snapshot: parseSnapshot(text, codec) };
    return last.snapshot;
  }

  /** @param text the stored snapshot; it must be read before the journal, so that only the journal can be ahead */
  function find(stream: string, findTail: ReadTail, text: string | null): OpenedStream<S> {
    const state = reconcile(stream, findTail, text);
    if (state.snapshot !== null && state.tail.last !== null) {
      checkBelongs(stream, state.snapshot, state.tail.last);
    }
    return state;
  }

  function reconcile(stream: string, findTail: ReadTail, text: string | null): OpenedStream<S> {
    return medium.journal(stream, (bytes) => {
      const stored = text === null ? null : parseStored(text);
      const tail = findTail(bytes, stored);
      const storedSeq = text === null ? 0 : (stored?.seq ?? null);
      const rebooted = tail.last !== null && isOfEarlierBoot(tail.last, medium.boot, clock.now());
      if (storedSeq === tail.seq) {
        const redo = { placements: [], notices: [] };
        return { tail, snapshot: stored, text, open: [], stored: 'current', rebooted, stale: [], redo, notices: [] };
      }
      if (storedSeq !== null && storedSeq > tail.seq) {
        const file = streamPath(layout, stream, layout.names.snapshot);
        throw journalCorruptError(
          bytes,
          `entries ${tail.seq + 1} to ${storedSeq} are missing at the end`,
          ` Without one: mv ${file} ${file}.lost, then call again.`,
        );
      }
      return (
        catchUp(stream, bytes, { tail, rebooted }, stored) ??
        rebuildSnapshot(stream, bytes, { tail, rebooted }, rebooted && text !== null && isBlank(text) ? null : text)
      );
    });
  }

  /** Refuses a copied directory or another stream's journal. @throws DevCliError `STATE_CORRUPT`, `JOURNAL_CORRUPT` */
  function checkBelongs(stream: string, snapshot: S, last: Entry): void {
    const { identity } = codec;
    if (identity === undefined) return;
    const { noun, names, isName } = layout;
    const name = snapshot[identity.name];
    if (name !== stream) {
      const other = typeof name === 'string' && isName(name) ? `the ${noun} "${name}"` : `another ${noun}`;
      const directory = streamPath(layout, stream);
      const problem = `this directory holds ${other}, not "${stream}"`;
      throw new DevCliError('STATE_CORRUPT', `In ${directory}, ${problem}. Nothing was changed.`, {
        details: [{ target: directory, problem }],
        fix: `Ask the user where ${directory} comes from: a copied or renamed directory is not a ${noun}. It works only under its own name.`,
      });
    }
    if (last.data[identity.id] === snapshot[identity.id]) return;
    const file = streamPath(layout, stream, names.journal);
    throw new DevCliError(
      'JOURNAL_CORRUPT',
      `${file} is the journal of another ${noun} than ${names.snapshot}. Nothing was changed.`,
      {
        details: [{ target: file, problem: `its last entry belongs to another ${noun}` }],
        fix: `Ask the user which is right; the other, ${file} or ${names.snapshot} beside it, has to be restored from a copy.`,
      },
    );
  }

  /** Applies the entries that the stored snapshot lacks; null without a snapshot, or if their patches do not fit it. */
  function catchUp(stream: string, bytes: JournalReader, found: Found, stored: S | null): OpenedStream<S> | null {
    if (stored === null) return null;
    const entries = listEntriesAbove(bytes, found.tail, stored.seq);
    // Copied, because applying patches changes the object in place.
    const state = applyEntries(structuredClone(stored) as unknown as JsonObject, entries);
    if (state === null || parseSnapshot(serializeSnapshot(state, codec), codec) === null) return null;
    // After a reboot, a snapshot that was not synced may lack many commits. All but the last had been finished, with
    // their documents outside the stream's directory: only the last may have writes left to do.
    return buildOpened(stream, found, state, found.rebooted ? listLastCommit(entries) : entries, 'behind', []);
  }

  function rebuildSnapshot(stream: string, bytes: JournalReader, found: Found, text: string | null): OpenedStream<S> {
    const name = streamPath(layout, stream, layout.names.snapshot);
    const entries = listEntriesAbove(bytes, found.tail, 0);
    const state = applyEntries(null, entries);
    if (state === null) throw buildStateCorruptError(name, layout.noun);
    const last = listLastCommit(entries);
    // A crash during a stream's only commit leaves no snapshot; this is normal and needs no notice.
    if (text === null && last.length === entries.length) return buildOpened(stream, found, state, last, 'missing', []);
    const stored = text === null ? 'missing' : 'unusable';
    const notice = `${name} ${text === null ? 'was missing' : 'could not be used'}; it is rebuilt from the journal.`;
    return buildOpened(stream, found, state, last, stored, [notice], 'leave');
  }

  function buildOpened(
    stream: string,
    { tail, rebooted }: Found,
    state: JsonObject,
    open: Entry[],
    stored: OpenedStream<S>['stored'],
    notices: string[],
    edited: 'aside' | 'leave' = 'aside',
  ): OpenedStream<S> {
    const text = serializeSnapshot(state, codec);
    const object = (sha: string): Buffer | null => medium.object(stream, sha);
    // After a reboot, `outside` leaves the documents in the stream's directory as they are: they may have been edited
    // long after these commits. The stream's owner restores what the power cut lost.
    const todo = planRedo({ layout, stream }, open, medium.files(stream), object, rebooted ? 'outside' : edited);
    return {
      tail,
      snapshot: codec.parse(text),
      text,
      open,
      stored,
      rebooted,
      stale: rebooted ? [] : [...new Set(open.flatMap(({ rendered = [] }) => rendered))],
      redo: todo,
      notices: [...notices, ...todo.notices],
    };
  }

  return {
    underLock: (stream) => find(stream, thoroughTail, medium.snapshot(stream)),

    remember(text, snapshot) {
      last = { text, snapshot };
    },

    undisturbed(stream) {
      for (let look = 1; ; look++) {
        const before = medium.snapshot(stream);
        const state = find(stream, forReaders, before);
        if (state.stored === 'current' || look === LOOKS || medium.snapshot(stream) === before) return state;
      }
    },

    toStreamState(stream, { snapshot, tail, stored, rebooted, stale, notices }, files) {
      const { seq, size } = tail;
      const [unfinished, past, at] = [stored !== 'current', openPast(medium, stream), formatInstant(clock.now())];
      return { snapshot, seq, size, files, unfinished, rebooted, stale, past, notices, at };
    },
  };
}

/**
 * Creates the part of a store that only reads.
 * @throws in each method: the errors documented at `ReadStore`, and those of `StoreLayout.checkedName` for an invalid
 * name
 */
export function createReadStore<S extends WithSeq>(options: ReadOptions, finder: StreamOpener<S>): ReadStore<S> {
  return {
    async read(stream) {
      return readStream(options, finder, stream);
    },
    async streams() {
      return options.medium.streams();
    },
  };
}

type ReadOptions = Pick<FinderOptions<WithSeq>, 'layout' | 'medium'>;

/** Reads a stream like `ReadStore.read`, but synchronously. @throws as `ReadStore.read` */
export function readStream<S extends WithSeq>(
  { layout, medium }: ReadOptions,
  finder: StreamOpener<S>,
  stream: string,
): StreamState<S> {
  layout.checkedName(stream);
  const state = finder.undisturbed(stream);
  const { placements } = state.redo;
  const files = medium.files(stream);
  // Usually every commit is finished, so that the overlay need not be loaded.
  const shown = placements.length === 0 ? files : overlayDocuments({ layout, stream }, files, placements);
  return finder.toStreamState(stream, state, shown);
}

function openPast(medium: ReadMedium, stream: string): JournalPast {
  return {
    scan(visit) {
      medium.journal(stream, (bytes) =>
        scanJournal(bytes, BEGINNING, (entry) => {
          visit(entry);
          return true;
        }),
      );
    },
    contents: (digests) => readContents(medium, stream, digests),
  };
}

/** Returns whether a file is empty or all zeros, as a power cut leaves one that was not synced. */
function isBlank(text: string): boolean {
  return /^\0*$/.test(text);
}

function buildStateCorruptError(name: string, noun: string): DevCliError {
  return new DevCliError(
    'STATE_CORRUPT',
    `${name} could not be used, and the journal cannot rebuild it. Nothing was changed.`,
    {
      details: [{ target: name, problem: 'unreadable and not in the journal' }],
      fix: `Show this to the user: ${name} has to be restored from a copy before the ${noun} can go on.`,
    },
  );
}
