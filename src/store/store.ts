import type { Caller } from '../base/caller.js';
import type { DocumentReader, FileChange } from '../base/files.js';
import type { Json, JsonObject } from '../base/json.js';
import type { StoredText } from './texts.js';

/**
 * A stream is a journal of entries, a snapshot of their effect, and documents that change with it. A store keeps streams of one
 * kind: its `Layout` says where they lie, its `Codec` what a snapshot is, its `Medium` carries the bytes.
 *
 * It promises: a commit happens whole or not at all; what `transact` has answered survives a crash and a power cut; nobody sees
 * half of a commit; the journal alone rebuilds the snapshot byte for byte.
 */

/** What a store must know of a snapshot: its place in the journal. */
export interface WithSeq {
  /** `seq` of the last journal entry this snapshot contains. */
  seq: number;
}

/** How a snapshot is read and written; given by whoever owns the format. It is stored as JSON with sorted keys. */
export interface Codec<S extends WithSeq> {
  /**
   * Parses and checks a snapshot.
   * @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `STATE_OLDER`
   */
  parse(text: string): S;
  /**
   * What the stored text says of a snapshot, which the journal's patches build: the inverse of `parse`, and a function of
   * the snapshot alone, whatever the order of its keys; its own are sorted. Left out: the snapshot itself.
   */
  encode?(snapshot: JsonObject): JsonObject;
  /**
   * The members by which a snapshot says where it belongs: the name of its stream, and an id that each entry's `data` holds
   * under the same key. They reveal a copied directory and a foreign journal. Left out: nothing is checked.
   */
  identity?: { name: keyof S & string; id: keyof S & string };
}

/** One fact to record. `type` comes from a closed list that the owner of the format keeps. */
export interface NewEntry {
  type: string;
  by: Caller;
  data: JsonObject;
}

/** The version of the format of journal entries. */
export const ENTRY_VERSION = 3 as const;

/** A journal entry as it stands in the journal (storage.md, A commit). */
export interface Entry extends NewEntry {
  /** The version of the format. */
  v: typeof ENTRY_VERSION;
  seq: number;
  /** UTC with milliseconds. */
  at: string;
  /** The change of the snapshot, as JSON Patch (RFC 6902). In a commit of several entries the last one carries it all. */
  patch: Json[];
  /**
   * The documents of the commit: `path` as in `DocumentReader`, and their SHA-256 before and after it, null where there is none. One
   * with the same digest twice was not written: the journal only keeps what it holds.
   */
  files: { path: string; before: string | null; after: string | null }[];
  /** On the last entry of a commit: documents that it changed and no entry holds, because snapshot and entries give them. */
  rendered?: string[];
  /** On the last entry of a commit: the boot of the machine that wrote it, where the system tells it. */
  boot?: string;
  /** On the last entry of a commit: the contents of its documents by digest, except large ones. */
  texts?: { [sha256: string]: StoredText };
  /** On the last entry of a commit: what holds outside the stream from then on (`Marker`). */
  marks?: JsonObject;
  /** True on every entry of a commit but its last: a commit that lost its end never happened. */
  more?: true;
  /** CRC-32 of the entry without this field, in hexadecimal. */
  crc: string;
}

/** A stream as it is now. */
export interface StreamState<S extends WithSeq> {
  /** Null when the stream has no commit yet. Others hold the same object: copy it before changing anything. */
  snapshot: S | null;
  /** Last sequence number in the journal; 0 before the first. */
  seq: number;
  /** Length of the journal as it was read, in bytes; `grown` waits for a change from it. */
  size: number;
  files: DocumentReader;
  /** Whether a crash left something to finish under the lock; what is read shows it finished. */
  unfinished: boolean;
  /**
   * Whether the last commit is of an earlier boot of this machine: of what lies in no entry, and of documents, anything may be
   * lost. The owner compares, and its next commit ends it.
   */
  rebooted: boolean;
  /**
   * Renderings of a commit that a crash cut short: they may be older than the snapshot. They are finished by a decision that
   * puts them in place, with entries or without.
   */
  stale: string[];
  /** The journal, for what the snapshot does not say. */
  past: Past;
  /** What was repaired: a snapshot kept aside and rebuilt, a torn tail cut, a document kept aside. */
  notices: string[];
  /** The instant of this commit, in UTC with milliseconds; a snapshot that records times uses it. */
  at: string;
}

/** What the journal holds, read when it is asked for; under the lock as long as the decision lasts. */
export interface Past {
  /**
   * Hands every committed entry to `visit`, oldest first.
   * @throws what `visit` throws; DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  scan(visit: (entry: Entry) => void): void;
  /** `HistoryStore.contents`, at once. */
  contents(digests: Iterable<string>): ReadonlyMap<string, Buffer>;
}

/** What a `decide` wants committed. Without entries nothing is, and only renderings are written. */
export type Decision<S extends WithSeq, A> =
  | { answer: A; renderings?: FileChange[] }
  | {
      answer: A;
      entries: [NewEntry, ...NewEntry[]];
      /** The next snapshot; its `seq` is set by the store. */
      snapshot: S;
      /** Documents to put in place or remove; no two at one path. */
      files: FileChange[];
      /** Paths at which others will write: their directories are made. */
      rooms?: readonly string[];
      /** For the store's `Marker`. Left out: nothing changes outside the stream. */
      marks?: JsonObject;
    };

/** Documents that a name without a commit is to have. */
interface Placement<A> {
  answer: A;
  files: readonly FileChange[];
}

/** What a decision may see of the other streams, as they are now. */
export interface Neighbours<S extends WithSeq> {
  /** `ReadStore.read`. */
  read(stream: string): StreamState<S>;
  /** `ReadStore.streams`. */
  streams(): string[];
  /**
   * Lets no other transaction of this root hold the same kind before this one has ended; waiting blocks the process. It is
   * taken after a stream's own lock, and no two kinds by one transaction.
   * @param kind lower-case letters
   * @throws DevCliError `LOCKED`, `IO`
   */
  hold(kind: string): void;
}

/** Synchronous, and changes nothing itself. What it throws, `transact` throws, with nothing written. */
export type Decide<S extends WithSeq, A> = (head: StreamState<S>, neighbours: Neighbours<S>) => Decision<S, A>;

/** A position in a journal, after an entry. */
export interface Cursor {
  /** In bytes. */
  offset: number;
  /** `seq` of the entry before it; 0 at the beginning. */
  seq: number;
}

/** The beginning of every journal. */
export const BEGINNING: Cursor = { offset: 0, seq: 0 };

/** Where a scan ended. */
export interface ScanResult {
  behind: Cursor;
  /** True when there was nothing more to read. */
  complete: boolean;
  /** Length of the journal in bytes, its uncommitted end included. */
  size: number;
  /** Whether something follows the last commit: a write that was cut short, or one in progress. */
  torn: boolean;
}

/** A stream as it was after an earlier commit. */
export interface Checkpoint<S extends WithSeq> {
  snapshot: S;
  /** The first and the last entry of the commit: all of it happened at once. */
  first: number;
  last: number;
  at: string;
  /** Digests of the documents there were, by path as the journal names them; without renderings. */
  documents: Map<string, string>;
  torn: boolean;
}

/** What the owner of the format adds to a replay's comparison. */
export interface ReplayOptions<S extends WithSeq> {
  /** Whether the owner alone writes the document at `path` (as in `DocumentReader`): then a change is a difference. */
  isOwn?: (path: string) => boolean;
  /** Checks every entry, oldest first; returns what is wrong with it. */
  entry?: (entry: Entry) => string[];
  /** The renderings as they should be, by path, once all entries were seen. */
  renderings?: (snapshot: S, contents: Past['contents']) => ReadonlyMap<string, Buffer>;
}

/** Something that contradicts the journal. */
export interface Difference {
  problem: string;
  /** The entry that says otherwise. */
  seq?: number;
  /** A place in the snapshot, as a JSON pointer. */
  pointer?: string;
  /** A file of the stream's directory, or with a leading `/` of the root. */
  path?: string;
}

/** The result of a replay (storage.md, A commit). */
export interface Replay<S extends WithSeq> {
  /** True when there is no difference. */
  equal: boolean;
  /** The snapshot after the last entry; null for a journal without entries, or one that gives none. */
  snapshot: S | null;
  entries: number;
  /** Documents that should be there, and stored contents, that were compared. */
  documents: number;
  objects: number;
  differences: Difference[];
  /** What is legitimate and worth knowing: a commit to finish, a document edited since. */
  notes: Difference[];
}

/** The part of a store that reads streams as they are now. */
export interface ReadStore<S extends WithSeq> {
  /**
   * Reads a stream without a lock, writing nothing. Entries above the snapshot are folded in memory; documents of an
   * unfinished commit are seen as they will be.
   * @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO`
   */
  read(stream: string): Promise<StreamState<S>>;
  /** Names of all streams, sorted, without directories that hold none. */
  streams(): Promise<string[]>;
}

/** The part of a store that reads streams and their history. The journal is read without a lock, piece by piece. */
export interface HistoryStore<S extends WithSeq> extends ReadStore<S> {
  /**
   * Returns `StreamState.unfinished` alone: compares where snapshot and journal end, and reads no further.
   */
  unfinished(stream: string): Promise<boolean>;
  /** All entries of the journal, oldest first. */
  journal(stream: string): Promise<Entry[]>;
  /**
   * Hands the entries behind `from` to `visit`, oldest first, until it returns false or all are done.
   * @throws what `visit` throws; DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  scan(stream: string, from: Cursor, visit: (entry: Entry) => boolean): Promise<ScanResult>;
  /**
   * Waits until the journal has another size than `size` bytes, for `milliseconds` at most, or until `signal` is aborted.
   * @throws DevCliError `IO`
   */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;
  /**
   * Returns the stream as it was after the commit that holds entry `seq`; null if there is no such entry.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_CORRUPT` when the patches do not fit, `STATE_NEWER`, `IO`
   */
  rewind(stream: string, seq: number): Promise<Checkpoint<S> | null>;
  /**
   * The contents of these digests as they were committed; one that is absent, or not what its digest says, is left out. Reads the
   * journal at most once, and not for what lies in a file of its own.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  contents(stream: string, digests: Iterable<string>): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Rebuilds the snapshot from the journal alone, compares it with the stored one byte for byte, and looks whether the
   * documents and objects that the journal names are there.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  replay(stream: string, look?: ReplayOptions<S>): Promise<Replay<S>>;
}

/** Durable streams. Whatever the medium, one suite proves it (tests/core/store/suite.ts). */
export interface Store<S extends WithSeq> extends HistoryStore<S> {
  /**
   * lock → read → redo → decide → objects → journal (the commit) → documents, snapshot → unlock.
   * @throws what `decide` throws; DevCliError `LOCKED`, `IO`, `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`
   */
  transact<A>(stream: string, decide: Decide<S, A>): Promise<A>;
  /**
   * Places documents for a name that has no commit yet; the first commit adopts them.
   * @param decide is called under the lock with what is there; synchronous, and changes nothing itself
   * @throws `Layout.taken` when there is a commit by now; what `decide` throws; DevCliError `LOCKED`, `IO`
   */
  place<A>(stream: string, decide: (files: DocumentReader) => Placement<A>): Promise<A>;
}
