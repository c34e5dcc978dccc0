import type { DocumentReader } from '../base/files.js';
import type { JsonObject } from '../base/json.js';
import type { JournalReader } from './journal.js';

/** A document to put in place. `content` null removes it. */
export interface DocumentWrite {
  /** Relative to the root. */
  path: string;
  content: Buffer | null;
  /** Set where somebody else will write the document: only its directory is made. */
  room?: true;
  /** Set where the content is added at the end of what is there; where nothing is, nothing is written. */
  append?: true;
  /**
   * Whether it is durable at once. Documents of a stream are not: after a power cut its owner puts them back from the
   * journal. Those outside its directory are other people's to move, so that nothing is put back there.
   */
  durable: boolean;
  /** Set where the present document must not be lost: it is kept beside the new one as `<name>.aside-<aside>`. */
  aside?: number;
}

/**
 * The reading part of what carries a store's bytes: a directory, a memory, some day a database. A medium only reads and writes
 * what it is told to; how a stream is opened is in read-store.ts, the order of a commit and of recovery in core.ts, once for
 * all media. Each has to pass tests/core/store/suite.ts. All but the waits is synchronous, so that nothing else runs between
 * reading a stream and the commit.
 */
export interface ReadMedium {
  /** Names of the streams that have a journal or a snapshot, sorted. */
  streams(): string[];
  /** The text of the stored snapshot as it was given to `replaceSnapshot`, never a part of it; null where there is none. */
  snapshot(stream: string): string | null;
  /** Reads the journal as it is at this moment; an absent one is empty. */
  journal<T>(stream: string, use: (bytes: JournalReader) => T): T;
  /** The documents, read at each use; others may change them at any time. */
  files(stream: string): DocumentReader;
  /** The large content of that digest, or null when it is absent or not what its digest says. */
  object(stream: string, sha256: string): Buffer | null;
  /** The present boot of the machine. */
  boot: Boot;
}

/** A boot of the machine: what was not synced before it may be lost. */
export interface Boot {
  /** Null where the system does not tell. */
  id(): string | null;
  /** Seconds since. */
  uptime(): number;
}

/**
 * A medium. Durable when the method returns, so that it is there after a power cut, is what `cut`, `stage` and `append` write,
 * and documents that ask for it. Of anything else a power cut may leave what was there before, an empty or torn file, or
 * nothing. `append` and `replaceSnapshot` take effect whole or, in a crash, as described there; `stage` and `place` may be cut
 * short between two documents. Everything from `cut` on is called only under the stream's lock.
 * @throws every method: DevCliError `IO`
 */
export interface Medium extends ReadMedium {
  /**
   * Runs `work` while no other caller, in this process or another, changes the stream. A lock is free once its process has
   * ended.
   * @throws DevCliError `LOCKED`, and what `work` throws
   */
  locked<T>(stream: string, work: () => T): Promise<T>;
  /**
   * Takes the lock of a kind, under a stream's; waiting for it blocks this process.
   * @returns what releases it
   * @throws DevCliError `LOCKED`
   */
  hold(kind: string): () => void;
  /** Resolves when the journal has another size, when the time is over, or when `signal` is aborted. */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;

  /** Shortens the journal to `size` bytes. */
  cut(stream: string, size: number): void;
  /** Renames the stored snapshot and returns its new name. */
  keepSnapshotAside(stream: string): string;
  /**
   * Prepares a commit: large contents by digest, and room for its documents.
   * @returns a function that undoes it, for a commit that failed; it never throws
   */
  stage(stream: string, large: Map<string, Buffer>, placements: readonly DocumentWrite[]): () => void;
  /**
   * Appends to a journal of `size` bytes in one write: the commit. If it fails, the journal is as it was; a crash may leave
   * the beginning of `text` at its end, which `cut` removes.
   */
  append(stream: string, text: string, size: number): void;
  /** Puts documents in place, each whole or not at all. */
  place(stream: string, placements: readonly DocumentWrite[]): void;
  /** Makes the stream's directory reachable after a power cut; a stream's first `append` does it, too. */
  reach(stream: string): void;
  /** Replaces the stored snapshot; after a crash there is the old one or the new one. */
  replaceSnapshot(stream: string, text: string): void;
}

/**
 * Keeps what changes with a commit but lies outside the stream: a pointer to it, a line in a list. A store writes `marks`
 * into the journal and calls these methods under the stream's lock, without knowing what the marks mean. A method may be called
 * again for marks that already hold, and then changes nothing. What it writes is durable when it returns.
 * @throws every method: DevCliError `IO`, `LOCKED`
 */
export interface Marker {
  /**
   * Brings about what must hold before the commit counts; called before its first file is written.
   * @param marks undefined for a commit without any, and for documents placed without a commit
   * @returns the later steps; one with nothing to do is left out
   */
  prepare(stream: string, marks: JsonObject | undefined, commit: MarkedCommit): Marking;
  /** Does what a crash kept `Marking.settle` from doing. */
  settle(stream: string, marks: JsonObject): void;
}

/** What a marker is told of the commit. */
export interface MarkedCommit {
  /** `seq` of its last entry. */
  seq: number;
  /** The marks of the last commit in the journal. */
  before: JsonObject | undefined;
}

/** The later steps for marks that were prepared. */
export interface Marking {
  /** Undoes the preparation of a commit that failed; what it throws is dropped. */
  undo?(): void;
  /** Brings about what follows from the commit, after its documents and before its snapshot. */
  follow?(): void;
  /** Brings about what may hold only once the snapshot is in place. */
  settle?(): void;
}
