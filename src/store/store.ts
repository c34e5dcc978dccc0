import type { Caller } from '../base/caller.js';
import type { FileChange, Files } from '../base/files.js';
import type { Json, JsonObject } from '../base/json.js';

/** What a store must know of a snapshot: its place in the journal. */
export interface Numbered {
  /** `seq` of the last journal entry this snapshot contains. */
  seq: number;
}

/** How a run's snapshot is read and written; given by the room that owns the format. */
export interface Codec<S extends Numbered> {
  /**
   * Parses and checks a snapshot, migrating an older version.
   * @throws DevCliError `STATE_CORRUPT` or `STATE_NEWER`
   */
  parse(text: string): S;
  /**
   * The exact bytes of state.json: JSON text, the same for equal snapshots whatever the order of their keys. Also called
   * with a snapshot as an older version wrote it, when it is rebuilt from the journal.
   */
  serialize(snapshot: S): string;
  /**
   * A snapshot to be changed, made from what `parse` gave, which stays as it is. Parts that nobody changes in place may be
   * shared: of a large snapshot they need not be read twice, written or compared when they are the same. Left out: every
   * decision gets one that was parsed anew. Only for a codec that migrates nothing, so that what `parse` gives is what is
   * stored.
   */
  copy?(snapshot: S): S;
  /**
   * Checks that stream, snapshot and the last entry of the journal belong together.
   * @throws DevCliError `STATE_CORRUPT`, `JOURNAL_CORRUPT` for a copied directory, a journal from elsewhere
   */
  checkBelongs(stream: string, snapshot: S, last: Entry): void;
}

/** One fact to record. `type` comes from a closed list that the owner of the format keeps. */
export interface NewEntry {
  type: string;
  by: Caller;
  data: JsonObject;
}

/** A journal entry as it stands in events.jsonl (storage.md, A commit). */
export interface Entry extends NewEntry {
  v: 1;
  seq: number;
  /** UTC with milliseconds. */
  at: string;
  /** The change of the snapshot, as JSON Patch (RFC 6902). In a commit of several entries the last one carries it all. */
  patch: Json[];
  files: { path: string; before: string | null; after: string | null }[];
  /** On the last entry of a commit: what a redo has to bring about outside the run's directory. */
  marks?: Marks;
  /** True on every entry of a commit but its last: a commit that lost its end never happened. */
  more?: true;
  /** CRC-32 of the entry without this field, in hexadecimal. */
  crc: string;
}

/** What lies outside the run's own directory and changes with a commit (storage.md, Layout). */
export interface Marks {
  /** Whether this run guards its tree from now on. */
  guarded: boolean;
  /** `set` makes the run the active one, `clear` removes the pointer when it names this run. */
  pointer?: 'set' | 'clear';
}

/** A run as it is now. */
export interface Head<S extends Numbered> {
  /** Null when the stream has no commit yet. */
  snapshot: S | null;
  /** Last sequence number in the journal; 0 before the first. */
  seq: number;
  /** Bytes of the journal as it was read, whatever lies at its end: from here on `grown` waits. */
  size: number;
  files: Files;
  /** True when a crash left something of this stream to finish under the lock: what is read shows it finished already. */
  unfinished: boolean;
  /** What was found and mended on the way: a snapshot kept aside and rebuilt, a torn tail cut, a document kept aside. */
  notices: string[];
  /** The instant of this commit; a snapshot that records times uses it. */
  at: string;
}

/** What a `decide` wants committed. Without entries nothing is written. */
export type Decision<S extends Numbered, A> =
  | { answer: A }
  | {
      answer: A;
      entries: [NewEntry, ...NewEntry[]];
      /** The next snapshot; its `seq` is set by the store. */
      snapshot: S;
      files: FileChange[];
      marks: Marks;
    };

/**
 * Synchronous and pure: it may be called again with a newer head. The snapshot of the head is its own, to change as it
 * likes. What it throws, `transact` throws, with nothing written.
 */
export type Decide<S extends Numbered, A> = (head: Head<S>) => Decision<S, A>;

/** A place in a journal, behind an entry. */
export interface Cursor {
  /** In bytes. */
  offset: number;
  /** `seq` of the entry before it; 0 at the beginning. */
  seq: number;
}

/** The beginning of every journal. */
export const BEGINNING: Cursor = { offset: 0, seq: 0 };

/** Where a scan ended. */
export interface Scanned {
  behind: Cursor;
  /** True when there was nothing more to read. */
  complete: boolean;
  /** Bytes of the journal, whatever lies at its end. */
  size: number;
  /** Something lies behind the last commit: a write that was cut short, or one that is just being made. */
  torn: boolean;
}

/** A run as it was once. */
export interface Moment<S extends Numbered> {
  snapshot: S;
  /** The first and the last entry of the commit: all of it happened at once. */
  first: number;
  last: number;
  at: string;
  /** Digests of the documents there were, by path as the journal names them. */
  documents: Map<string, string>;
  torn: boolean;
}

/** What the owner of the format adds to a replay. */
export interface ReplayLook {
  /** Whether nobody but dev-cli writes the document at `path` (as in `Files`): a change of it is then a difference. */
  isOwn?: (path: string) => boolean;
  /** Sees every entry, oldest first; gives what is wrong with it. */
  entry?: (entry: Entry) => string[];
}

/** Something that is not as the journal says. */
export interface Difference {
  problem: string;
  /** The entry that says otherwise. */
  seq?: number;
  /** A place in state.json. */
  pointer?: string;
  /** A file of the run's directory, or with a leading `/` of the root. */
  path?: string;
}

/** What came out of a replay (storage.md, A commit). */
export interface Replay<S extends Numbered> {
  /** True when there is no difference. */
  equal: boolean;
  /** The snapshot after the last entry; null for a journal without entries, or one that gives none. */
  snapshot: S | null;
  entries: number;
  /** Documents that should be there, and contents in `objects/`, that were compared. */
  documents: number;
  objects: number;
  differences: Difference[];
  /** What is as it may be and still worth knowing: a commit to finish, a document that was edited since. */
  notes: Difference[];
}

/** What can be asked of durable runs without changing any. */
export interface ReadStore<S extends Numbered> {
  /**
   * Reads a run without a lock, writing nothing. Entries above the snapshot are folded in memory;
   * documents of an unfinished commit are seen as they will be.
   * @throws DevCliError `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`, `IO`
   */
  read(stream: string): Promise<Head<S>>;
  /** Names of all streams, sorted. A directory that holds no run of ours is not among them. */
  streams(): Promise<string[]>;
  /** The run named by the active pointer, or null. */
  active(): Promise<string | null>;
  /** The run a harness session is bound to, or null. */
  session(id: string): Promise<string | null>;
}

/** Durable runs, one stream each. The directory store and the in-memory store pass one suite (storage.md). */
export interface Store<S extends Numbered> extends ReadStore<S> {
  /**
   * `Head.unfinished` for who needs no more: it compares where snapshot and journal end and does not look further into either.
   */
  unfinished(stream: string): Promise<boolean>;
  /**
   * lock → read → redo → decide → objects → journal (the commit) → documents, snapshot → unlock.
   * @throws what `decide` throws; DevCliError `LOCKED`, `IO`, `STATE_CORRUPT`, `STATE_NEWER`, `JOURNAL_CORRUPT`
   */
  transact<A>(stream: string, decide: Decide<S, A>): Promise<A>;
  /**
   * Does `work` while nobody else does work of that kind in this root; commits of streams are not held up by it. Taken before
   * any stream's lock, never within a transaction.
   * @param kind lower-case letters
   * @throws what `work` throws; DevCliError `LOCKED`, `IO`
   */
  alone<A>(kind: string, work: () => Promise<A>): Promise<A>;
  /**
   * Puts documents into the directory of a name that has no commit yet: what a first commit will adopt.
   * @throws DevCliError `RUN_EXISTS` when there is one by now, `LOCKED`, `IO`
   */
  place(stream: string, changes: readonly FileChange[]): Promise<void>;
  /** All entries of the journal, oldest first. */
  journal(stream: string): Promise<Entry[]>;
  /**
   * Hands the entries behind `from` to `visit`, oldest first, until it returns false or all are done. The journal is read
   * piece by piece, without a lock.
   * @throws what `visit` throws; DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  scan(stream: string, from: Cursor, visit: (entry: Entry) => boolean): Promise<Scanned>;
  /**
   * Waits until the journal has another size than `size` bytes, for `milliseconds` at most, or until `signal` is aborted.
   * @throws DevCliError `IO`
   */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;
  /**
   * The run as it was after the commit that holds entry `seq`; null when there is no such entry.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_CORRUPT` when the patches do not fit, `STATE_NEWER`, `IO`
   */
  rewind(stream: string, seq: number): Promise<Moment<S> | null>;
  /** The content of that digest as it was committed, or null when it is absent or not what its digest says. */
  content(stream: string, sha256: string): Promise<Buffer | null>;
  /** Makes a stream the active one, or clears the pointer. */
  setActive(stream: string | null): Promise<void>;
  /** Clears the pointer when it names this stream. */
  clearActive(stream: string): Promise<void>;
  /**
   * A digest of where the stream lies: the same after a rename of it or of a directory above it, another one for a copy, a
   * clone, another user or another machine (protocol.md §4). The stream is there, or locked.
   * @throws DevCliError `IO`
   */
  home(stream: string): string;
  /** Binds a harness session to a run, or (null) releases it. */
  bindSession(id: string, stream: string | null): Promise<void>;
  /**
   * Rebuilds the snapshot from the journal alone, compares it with the stored one byte for byte, and looks whether the
   * documents and objects that the journal names are there. Takes no lock, changes nothing, reads the journal piece by piece.
   * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_NEWER`, `IO`
   */
  replay(stream: string, look?: ReplayLook): Promise<Replay<S>>;
}
