import type { DocumentReader } from '../base/files.js';
import type { JsonObject } from '../base/json.js';
import type { JournalReader } from './journal.js';

/** A document to write. A null `content` removes the document. */
export interface DocumentWrite {
  /** Relative to the root. */
  path: string;
  content: Buffer | null;
  /** Set where somebody else will write the document: the store only makes its directory. */
  room?: true;
  /** Set where the content is appended to the existing document. If there is none, nothing is written. */
  append?: true;
  /**
   * Whether the document is durable when the call returns. Documents of a stream need not be: after a power cut their
   * owner restores them from the journal. Documents outside its directory may be moved by other people, so they are
   * never restored.
   */
  durable: boolean;
  /** Set where the present document must be kept: it is renamed to `<name>.aside-<aside>` first. */
  aside?: number;
}

/**
 * The reading part of a medium, which carries a store's bytes: a directory, memory, some day a database. A medium only
 * reads and writes what it is told to. read-store.ts defines how a stream is opened, core.ts the order of a commit and
 * of recovery, once for all media. Every medium has to pass tests/core/store/suite.ts. Everything except the waits is
 * synchronous, so that nothing else runs between reading a stream and committing.
 */
export interface ReadMedium {
  /** Returns the names of the streams that have a journal or a snapshot, sorted. */
  streams(): string[];
  /** Returns the stored snapshot as it was given to `replaceSnapshot`, never a part of it; null if there is none. */
  snapshot(stream: string): string | null;
  /** Passes the journal as it is at this moment to `use`. A missing journal counts as empty. */
  journal<T>(stream: string, use: (bytes: JournalReader) => T): T;
  /** Returns a reader of the documents. It reads at each use, because others may change them at any time. */
  files(stream: string): DocumentReader;
  /** Returns the large content with this digest; null if it is missing or does not match the digest. */
  object(stream: string, sha256: string): Buffer | null;
  /** The machine's present boot. */
  boot: Boot;
}

/** A boot of the machine. Whatever was not synced before it may be lost. */
export interface Boot {
  /** Returns the boot's id; null where the system does not report one. */
  id(): string | null;
  /** Returns the seconds since the boot. */
  uptime(): number;
}

/**
 * A medium that can also write. What `cut`, `stage` and `append` write, and documents marked durable, survive a power
 * cut once the method has returned. For anything else, a power cut may leave the old content, an empty or torn file, or
 * nothing. `append` and `replaceSnapshot` take effect whole or, in a crash, as described there; a crash may stop
 * `stage` and `place` between two documents. The methods from `cut` on are called only under the stream's lock.
 * @throws every method: DevCliError `IO`
 */
export interface Medium extends ReadMedium {
  /**
   * Runs `work` while no other caller, in this process or another, changes the stream. The lock of a process that has
   * ended is free.
   * @throws DevCliError `LOCKED`, and what `work` throws
   */
  locked<T>(stream: string, work: () => T): Promise<T>;
  /**
   * Takes the lock named `kind`, for a caller that already holds a stream's lock. Waiting for it blocks this process.
   * @returns a function that releases the lock
   * @throws DevCliError `LOCKED`
   */
  hold(kind: string): () => void;
  /** Resolves when the journal's size differs from `size`, when the time is up, or when `signal` is aborted. */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;

  /** Shortens the journal to `size` bytes. */
  cut(stream: string, size: number): void;
  /** Renames the stored snapshot, to keep it, and returns its new name. */
  keepSnapshotAside(stream: string): string;
  /**
   * Prepares a commit: stores large contents under their digests and makes the directories of its documents.
   * @returns a function that undoes this if the commit fails; it never throws
   */
  stage(stream: string, large: Map<string, Buffer>, placements: readonly DocumentWrite[]): () => void;
  /**
   * Appends `text` to a journal of `size` bytes in one write: this is the commit. If it fails, the journal is
   * unchanged. A crash may leave the beginning of `text` at the journal's end, which `cut` removes.
   */
  append(stream: string, text: string, size: number): void;
  /** Writes documents, each whole or not at all. */
  place(stream: string, placements: readonly DocumentWrite[]): void;
  /** Syncs the directories above the stream, so that no power cut loses it. A stream's first `append` does so, too. */
  reach(stream: string): void;
  /** Replaces the stored snapshot. A crash leaves either the old or the new one. */
  replaceSnapshot(stream: string, text: string): void;
}

/**
 * Maintains what changes with a commit but lies outside the stream: a pointer to it, a line in a list. A store writes
 * `marks` into the journal and calls these methods under the stream's lock, without knowing what the marks mean.
 * Calling a method again for marks that already hold changes nothing. What a method writes is durable when it returns.
 * @throws every method: DevCliError `IO`, `LOCKED`
 */
export interface Marker {
  /**
   * Does what must be done before the commit counts; called before the commit's first file is written.
   * @param marks undefined for a commit without marks, and for documents placed without a commit
   * @returns the later steps; a step with nothing to do is left out
   */
  prepare(stream: string, marks: JsonObject | undefined, commit: MarkedCommit): PreparedMarks;
  /** Does the work of `Marking.settle` that a crash prevented. */
  settle(stream: string, marks: JsonObject): void;
}

/** What a marker is told about a commit. */
export interface MarkedCommit {
  /** `seq` of the commit's last entry. */
  seq: number;
  /** The marks of the journal's last commit before this one. */
  before: JsonObject | undefined;
}

/** The later steps for marks that were prepared. */
export interface PreparedMarks {
  /** Undoes the preparation of a commit that failed. Errors it throws are dropped. */
  undo?(): void;
  /** Does what follows from the commit, after its documents and before its snapshot are written. */
  follow?(): void;
  /** Does what has to wait until the snapshot is written. */
  settle?(): void;
}
