import type { Caller } from '../base/caller.js';
import type { DocumentReader, FileChange } from '../base/files.js';
import type { Json, JsonObject } from '../base/json.js';
import type { StoredText } from './texts.js';

/**
 * A stream is a journal of entries, a snapshot of their combined effect, and documents that change with them. A store
 * keeps streams of one kind: its `StoreLayout` says where they lie, its `Codec` how snapshots are read and written, and its
 * `Medium` holds the bytes.
 *
 * It guarantees that a commit happens whole or not at all, that a commit survives a crash or a power cut once
 * `transact` has answered, that nobody sees half of a commit, and that the snapshot can be rebuilt byte for byte from
 * the journal.
 */

/** The part of a snapshot that a store relies on: its position in the journal. */
export interface WithSeq {
  /** `seq` of the last journal entry this snapshot contains. */
  seq: number;
}

/** How snapshots are read and written; supplied by the owner of their format. Stored as JSON with sorted keys. */
export interface Codec<S extends WithSeq> {
  /**
   * Parses and checks a snapshot.
   * @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `STATE_OLDER`
   */
  parse(text: string): S;
  /**
   * Converts a snapshot, as the journal's patches build it, to the form that is stored: the inverse of `parse`. The
   * result has sorted keys and does not depend on the key order of the snapshot. By default the snapshot is stored as
   * it is.
   */
  encode?(snapshot: JsonObject): JsonObject;
  /**
   * The members that say which stream a snapshot belongs to: its name, and an id that each entry's `data` holds under
   * the same key. They reveal a copied directory or another stream's journal. By default nothing is checked.
   */
  identity?: { name: keyof S & string; id: keyof S & string };
}

/** One fact to record. `type` is one of a fixed list, which the owner of the format defines. */
export interface NewEntry {
  type: string;
  by: Caller;
  data: JsonObject;
}

/** The version of the journal entry format. */
export const ENTRY_VERSION = 3 as const;

/** An entry as the journal stores it (storage.md, A commit). */
export interface Entry extends NewEntry {
  /** The format version. */
  v: typeof ENTRY_VERSION;
  seq: number;
  /** The time of the commit, in UTC with milliseconds. */
  at: string;
  /** The change to the snapshot, as JSON Patch (RFC 6902): all of it in a commit's last entry, empty in the others. */
  patch: Json[];
  /**
   * The documents of the commit: `path` as in `DocumentReader`, and their SHA-256 before and after it, null where there
   * is no document. A document whose two digests are equal was not written: the journal only keeps its content.
   */
  files: { path: string; before: string | null; after: string | null }[];
  /**
   * On a commit's last entry: paths of the renderings that it wrote. No entry holds their content, because it can be
   * rendered again from the snapshot and the entries.
   */
  rendered?: string[];
  /** On a commit's last entry: the id of the boot in which it was written, where the system reports one. */
  boot?: string;
  /** On a commit's last entry: the contents of its documents by digest, except large ones. */
  texts?: { [sha256: string]: StoredText };
  /** On a commit's last entry: the state that the commit sets outside the stream (see `Marker`). */
  marks?: JsonObject;
  /** True on every entry of a commit except its last. A commit whose last entry is missing never happened. */
  more?: true;
  /** CRC-32 of the entry without this field, in hexadecimal. */
  crc: string;
}

/** A stream as it is now. */
export interface StreamState<S extends WithSeq> {
  /** Null when the stream has no commit yet. The object is shared: copy it before changing anything. */
  snapshot: S | null;
  /** `seq` of the last journal entry; 0 for an empty journal. */
  seq: number;
  /** Length of the journal when it was read, in bytes; `grown` waits for it to change. */
  size: number;
  files: DocumentReader;
  /** Whether a crash left a commit to finish under the lock. The other members show it as already finished. */
  unfinished: boolean;
  /**
   * Whether the last commit was written before this machine's last boot. Then documents, and anything else that no
   * entry holds, may be lost, so the owner has to compare them. The owner's next commit ends this condition.
   */
  rebooted: boolean;
  /**
   * Renderings of a commit that a crash interrupted: they may be older than the snapshot. The next decision has to
   * write them again, as part of a commit or alone; that finishes the interrupted commit.
   */
  stale: string[];
  /** The journal, for facts that the snapshot does not hold. */
  past: JournalPast;
  /** The repairs made: a snapshot kept aside and rebuilt, a torn end of the journal cut off, a document kept aside. */
  notices: string[];
  /** The instant of this commit, in UTC with milliseconds; a snapshot that records times uses it. */
  at: string;
}

/** The journal's entries and contents, read on demand. A decision reads them under the lock. */
export interface JournalPast {
  /**
   * Passes every committed entry to `visit`, oldest first.
   * @throws any error of `visit`; DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  scan(visit: (entry: Entry) => void): void;
  /** Like `HistoryStore.contents`, but synchronous. */
  contents(digests: Iterable<string>): ReadonlyMap<string, Buffer>;
}

/** What a `decide` function returns. Without entries nothing is committed, and only renderings are written. */
export type TransactionDecision<S extends WithSeq, A> =
  | { answer: A; renderings?: FileChange[] }
  | {
      answer: A;
      entries: [NewEntry, ...NewEntry[]];
      /** The next snapshot. The store sets its `seq`. */
      snapshot: S;
      /** Documents to write or remove, each path at most once. */
      files: FileChange[];
      /** Paths at which others will write; the store creates their directories. */
      rooms?: readonly string[];
      /** Marks for the store's `Marker`. By default nothing changes outside the stream. */
      marks?: JsonObject;
    };

/** Documents to write for a stream that has no commit yet. */
interface Placement<A> {
  answer: A;
  files: readonly FileChange[];
}

/** A decision's access to the other streams, as they are now. */
export interface OtherStreams<S extends WithSeq> {
  /** See `ReadStore.read`. */
  read(stream: string): StreamState<S>;
  /** See `ReadStore.streams`. */
  streams(): string[];
  /**
   * Takes the lock named `kind` until this transaction ends: no other transaction of this root can hold it meanwhile.
   * Waiting blocks the process. A transaction takes it after its stream's own lock, and takes at most one kind.
   * @param kind lower-case letters
   * @throws DevCliError `LOCKED`, `IO`
   */
  hold(kind: string): void;
}

/**
 * Decides what to commit; synchronous, without side effects. If it throws, nothing is written and `transact` throws.
 */
export type Decide<S extends WithSeq, A> = (
  head: StreamState<S>,
  neighbours: OtherStreams<S>,
) => TransactionDecision<S, A>;

/** A position in a journal, after an entry. */
export interface JournalCursor {
  /** In bytes. */
  offset: number;
  /** `seq` of the entry before the position; 0 at the beginning. */
  seq: number;
}

/** The beginning of every journal. */
export const BEGINNING: JournalCursor = { offset: 0, seq: 0 };

/** Where a scan ended. */
export interface ScanResult {
  behind: JournalCursor;
  /** True if no committed entry is left to read. */
  complete: boolean;
  /** Length of the journal in bytes, including an uncommitted end. */
  size: number;
  /** Whether bytes follow the last commit, because a write was interrupted or is in progress. */
  torn: boolean;
}

/** A stream as it was after an earlier commit. */
export interface Checkpoint<S extends WithSeq> {
  snapshot: S;
  /** `seq` of the commit's first and last entry. */
  first: number;
  last: number;
  at: string;
  /** Digests of the documents that existed, by path as the journal names them; without renderings. */
  documents: Map<string, string>;
  torn: boolean;
}

/** Checks that the format's owner adds to a replay. */
export interface ReplayOptions<S extends WithSeq> {
  /** Returns whether only the owner writes the document at `path`, so that any other change is a difference. */
  isOwn?: (path: string) => boolean;
  /** Returns the problems of an entry; called for every entry, oldest first. */
  entry?: (entry: Entry) => string[];
  /** Returns the renderings as they should be, by path; called after all entries. */
  renderings?: (snapshot: S, contents: JournalPast['contents']) => ReadonlyMap<string, Buffer>;
}

/** A contradiction between the journal and the stored files. */
export interface ReplayDifference {
  problem: string;
  /** `seq` of the entry that the stored files contradict. */
  seq?: number;
  /** The position in the snapshot, as a JSON pointer. */
  pointer?: string;
  /** A file in the stream's directory or, with a leading `/`, in the root. */
  path?: string;
}

/** The result of a replay (storage.md, A commit). */
export interface Replay<S extends WithSeq> {
  /** True when there is no difference. */
  equal: boolean;
  /** The snapshot after the last entry; null when the journal has no entries, or its patches give no valid snapshot. */
  snapshot: S | null;
  entries: number;
  /** How many documents, and how many stored contents, were compared. */
  documents: number;
  objects: number;
  differences: ReplayDifference[];
  /** Differences that are legitimate but worth knowing, such as an unfinished commit or a document edited since. */
  notes: ReplayDifference[];
}

/** The part of a store that reads streams as they are now. */
export interface ReadStore<S extends WithSeq> {
  /**
   * Reads a stream without a lock, writing nothing. Entries above the snapshot are applied in memory; documents of an
   * unfinished commit appear as they will be once it is finished.
   * @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO`
   */
  read(stream: string): Promise<StreamState<S>>;
  /** Returns the names of all streams, sorted. Directories that hold no stream are left out. */
  streams(): Promise<string[]>;
}

/** The part of a store that reads streams and their history. It reads the journal without a lock, piece by piece. */
export interface HistoryStore<S extends WithSeq> extends ReadStore<S> {
  /** Returns only `StreamState.unfinished`: compares where snapshot and journal end, and reads nothing else. */
  unfinished(stream: string): Promise<boolean>;
  /** Returns all entries of the journal, oldest first. */
  journal(stream: string): Promise<Entry[]>;
  /**
   * Passes the entries after `from` to `visit`, oldest first, until it returns false or none is left.
   * @throws any error of `visit`; DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  scan(stream: string, from: JournalCursor, visit: (entry: Entry) => boolean): Promise<ScanResult>;
  /**
   * Waits until the journal's size differs from `size` bytes, for `milliseconds` at most, or until `signal` is aborted.
   * @throws DevCliError `IO`
   */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;
  /**
   * Returns the stream as it was after the commit that holds entry `seq`; null if there is no such entry.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_CORRUPT` when the patches do not fit, `STATE_NEWER`, `IO`
   */
  rewind(stream: string, seq: number): Promise<Checkpoint<S> | null>;
  /**
   * Returns the contents with these digests as they were committed. A content that is missing, or does not match its
   * digest, is left out. Reads the journal at most once, and not at all for contents that lie in files of their own.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  contents(stream: string, digests: Iterable<string>): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Rebuilds the snapshot from the journal alone, compares it with the stored one byte for byte, and checks the
   * documents and objects that the journal names.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  replay(stream: string, look?: ReplayOptions<S>): Promise<Replay<S>>;
}

/** Durable streams. tests/core/store/suite.ts proves the guarantees for every medium. */
export interface Store<S extends WithSeq> extends HistoryStore<S> {
  /**
   * Runs a transaction: lock → read → redo → decide → objects → journal (the commit) → documents, snapshot → unlock.
   * @throws any error of `decide`; DevCliError `LOCKED`, `IO`, `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`
   */
  transact<A>(stream: string, decide: Decide<S, A>): Promise<A>;
  /**
   * Writes documents for a stream that has no commit yet; the first commit adopts them.
   * @param decide gets the documents already there; called under the lock, synchronous, without side effects
   * @throws `StoreLayout.taken` if the stream has a commit by now; any error of `decide`; DevCliError `LOCKED`, `IO`
   */
  place<A>(stream: string, decide: (files: DocumentReader) => Placement<A>): Promise<A>;
}
