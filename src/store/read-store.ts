import { type Clock, formatInstant } from '../base/clock.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
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
import { type Layout, streamPath } from './layout.js';
import { nativeCrc32 } from './line.js';
import type { ReadMedium } from './medium.js';
import { overlayDocuments, planRedo, type Redo } from './redo.js';
import { applyEntries, parseSnapshot, serializeSnapshot } from './snapshot.js';
import type { Codec, Entry, ReadStore, StreamState, WithSeq } from './store.js';

/** How much of the journal's end is checked before something is added to it. */
const RECENT = 256 * 1024;

/** How often a reader looks again because a writer came in between. */
const LOOKS = 20;

/** A stream as found: journal and stored snapshot brought together, nothing written yet. */
export interface OpenedStream<S extends WithSeq> {
  tail: Tail;
  snapshot: S | null;
  /** What the stored snapshot is once everything is finished; null before the first commit. */
  text: string | null;
  /** Entries whose commit may have been cut short. */
  open: Entry[];
  /** `unusable`: present, and neither parses nor can be patched. */
  stored: 'current' | 'behind' | 'missing' | 'unusable';
  redo: Redo;
  notices: string[];
}

/** How streams are found, and handed out. */
export interface StreamOpener<S extends WithSeq> {
  /** For who holds the lock: the end of the journal is checked before something is added to it. */
  underLock(stream: string): OpenedStream<S>;
  /**
   * For a reader, who holds no lock: a commit seen half finished may have been finished meanwhile, and the next one begun,
   * whose documents then look like foreign ones. That cannot be while the snapshot is still the one that was read.
   */
  undisturbed(stream: string): OpenedStream<S>;
  /** The stream as it is handed to a caller. */
  toStreamState(state: OpenedStream<S>, files: StreamState<S>['files']): StreamState<S>;
}

/** What a finder reads from and by. */
export interface FinderOptions<S extends WithSeq> {
  layout: Layout;
  medium: ReadMedium;
  codec: Codec<S>;
  clock: Clock;
}

/** Finds where a journal ends, for who has the snapshot `stored`. */
export type ReadTail = (bytes: JournalReader, stored: WithSeq | null) => Tail;

const checkedTail: ReadTail = (bytes) => readTail(bytes, nativeCrc32);

const thoroughTail: ReadTail = (bytes) => {
  const tail = readTail(bytes, nativeCrc32);
  checkRecent(bytes, tail, RECENT);
  return tail;
};

/**
 * For who takes nothing from the journal that a current snapshot has already: then the checksum of the last line, which takes a
 * third of the time of such a reading, is left to those who read on or write.
 */
export const readTailBySnapshot: ReadTail = (bytes, stored) =>
  (stored === null ? null : readTailAt(bytes, stored.seq)) ?? readTail(bytes);

/**
 * Brings journal and stored snapshot of a stream together (storage.md, Recovery).
 * @param forReaders how much of the journal's end they check
 * @throws every method: DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO`
 */
export function createStreamOpener<S extends WithSeq>(
  { layout, medium, codec, clock }: FinderOptions<S>,
  forReaders: ReadTail = checkedTail,
): StreamOpener<S> {
  /** What was parsed last: a call reads the same snapshot several times, and a large one takes its time. */
  let last: { text: string; snapshot: S | null } | null = null;

  function understood(text: string): S | null {
    if (last?.text !== text) last = { text, snapshot: parseSnapshot(text, codec) };
    return last.snapshot;
  }

  /** @param text the stored snapshot, read before the journal: it is written last, so that the journal can only be further */
  function find(stream: string, findTail: ReadTail, text: string | null): OpenedStream<S> {
    const state = brought(stream, findTail, text);
    if (state.snapshot !== null && state.tail.last !== null) {
      checkBelongs(stream, state.snapshot, state.tail.last);
    }
    return state;
  }

  function brought(stream: string, findTail: ReadTail, text: string | null): OpenedStream<S> {
    return medium.journal(stream, (bytes) => {
      const stored = text === null ? null : understood(text);
      const tail = findTail(bytes, stored);
      const storedSeq = text === null ? 0 : (stored?.seq ?? null);
      if (storedSeq === tail.seq) return buildCurrent(tail, stored, text);
      if (storedSeq !== null && storedSeq > tail.seq) {
        throw journalCorruptError(bytes, `entries ${tail.seq + 1} to ${storedSeq} are missing at the end`);
      }
      return behind(stream, bytes, tail, text, stored) ?? rebuilt(stream, tail, text, listEntriesAbove(bytes, tail, 0));
    });
  }

  /** Refuses a copied directory, and a journal from elsewhere. @throws DevCliError `STATE_CORRUPT`, `JOURNAL_CORRUPT` */
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
        fix: `Ask the user where ${directory} comes from: a copied or renamed directory is no ${noun}. It goes on under its own name.`,
      });
    }
    if (last.data[identity.id] === snapshot[identity.id]) return;
    const file = streamPath(layout, stream, names.journal);
    throw new DevCliError(
      'JOURNAL_CORRUPT',
      `${file} is the journal of another ${noun} than ${names.snapshot}. Nothing was changed.`,
      {
        details: [{ target: file, problem: `its last entry belongs to another ${noun}` }],
        fix: `Ask the user which of the two is right: ${file} or ${names.snapshot} beside it has to be restored from a copy.`,
      },
    );
  }

  /** The stored snapshot lacks the last entries; null when their patches do not fit it. */
  function behind(
    stream: string,
    bytes: JournalReader,
    tail: Tail,
    text: string | null,
    stored: S | null,
  ): OpenedStream<S> | null {
    if (text === null || stored === null) return null;
    const entries = listEntriesAbove(bytes, tail, stored.seq);
    const state = applyEntries(JSON.parse(text) as JsonObject, entries);
    if (state === null || parseSnapshot(serializeSnapshot(state), codec) === null) return null;
    return found(stream, tail, state, entries, 'behind', []);
  }

  function rebuilt(stream: string, tail: Tail, text: string | null, entries: Entry[]): OpenedStream<S> {
    const name = streamPath(layout, stream, layout.names.snapshot);
    const state = applyEntries(null, entries);
    if (state === null) throw stateCorrupt(name, layout.noun);
    const last = listLastCommit(entries);
    // Missing after a single commit: what a crash in the middle of it leaves. Nothing to tell.
    if (text === null && last.length === entries.length) return found(stream, tail, state, last, 'missing', []);
    const stored = text === null ? 'missing' : 'unusable';
    const notice = `${name} ${text === null ? 'was missing' : 'could not be used'}; it is rebuilt from the journal.`;
    return found(stream, tail, state, last, stored, [notice], 'leave');
  }

  function found(
    stream: string,
    tail: Tail,
    state: JsonObject,
    open: Entry[],
    stored: OpenedStream<S>['stored'],
    notices: string[],
    edited: 'aside' | 'leave' = 'aside',
  ): OpenedStream<S> {
    // A patch starts from what an older version wrote, so the unmigrated snapshot is what is stored.
    const text = serializeSnapshot(state);
    const todo = planRedo({ layout, stream }, open, medium.files(stream), (sha) => medium.object(stream, sha), edited);
    return {
      tail,
      snapshot: codec.parse(text),
      text,
      open,
      stored,
      redo: todo,
      notices: [...notices, ...todo.notices],
    };
  }

  return {
    underLock: (stream) => find(stream, thoroughTail, medium.snapshot(stream)),

    undisturbed(stream) {
      for (let look = 1; ; look++) {
        const before = medium.snapshot(stream);
        const state = find(stream, forReaders, before);
        if (state.stored === 'current' || look === LOOKS || medium.snapshot(stream) === before) return state;
      }
    },

    toStreamState({ snapshot, tail, stored, notices }, files) {
      const { seq, size } = tail;
      return { snapshot, seq, size, files, unfinished: stored !== 'current', notices, at: formatInstant(clock.now()) };
    },
  };
}

/**
 * What can be asked of streams without changing any: the part of a store that questions are answered with.
 * @throws per method as documented at `ReadStore`; what `Layout.checkedName` throws for a stream that cannot be one
 */
export function createReadStore<S extends WithSeq>(
  { layout, medium }: Pick<FinderOptions<S>, 'layout' | 'medium'>,
  finder: StreamOpener<S>,
): ReadStore<S> {
  return {
    async read(stream) {
      layout.checkedName(stream);
      const state = finder.undisturbed(stream);
      return finder.toStreamState(
        state,
        overlayDocuments({ layout, stream }, medium.files(stream), state.redo.placements),
      );
    },
    async streams() {
      return medium.streams();
    },
  };
}

function buildCurrent<S extends WithSeq>(tail: Tail, snapshot: S | null, text: string | null): OpenedStream<S> {
  return { tail, snapshot, text, open: [], stored: 'current', redo: { placements: [], notices: [] }, notices: [] };
}

function stateCorrupt(name: string, noun: string): DevCliError {
  return new DevCliError(
    'STATE_CORRUPT',
    `${name} could not be used, and the journal cannot rebuild it. Nothing was changed.`,
    {
      details: [{ target: name, problem: 'neither readable nor in the journal' }],
      fix: `Show this to the user: ${name} has to be restored from a copy before the ${noun} can go on.`,
    },
  );
}
