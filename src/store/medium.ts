import type { DocumentReader } from '../base/files.js';
import type { JsonObject } from '../base/json.js';
import type { JournalReader } from './journal.js';

/** A document to write. A null `content` removes the document. */
export interface DocumentWrite {
  /** Relative to the root. */
  path: string;
  content: Buffer | null;
  /** Set if somebody else will write the document, so that the store only creates its directory. */
  room?: true;
  /** Set if the content is to be appended to the existing document. If there is none, nothing is written. */
  append?: true;
  /**
   * Whether the document must be durable when the call returns. Not needed for documents in the stream's directory,
   * which their owner restores from the journal after a power cut. Documents outside it are never restored, because
   * people may have moved them.
   */
  durable: boolean;
  /** Set if the current document must be kept: it is first renamed to `<name>.aside-<aside>`. */
  aside?: number;
}

/**
 * What a store reads from. A medium is where a store's bytes are kept: a directory, memory, some day a database. A
 * medium makes no decisions: for all media, read-store.ts defines how a stream is opened, and core.ts the steps of
 * commit and recovery. Every medium has to pass tests/core/store/suite.ts. Only the methods that wait are asynchronous,
 * so that nothing else runs between reading a stream and committing.
 */
export interface ReadMedium {
  /** Returns the names of the streams that have a journal or a snapshot, sorted. */
  streams(): string[];
  /** Returns the stored snapshot as it was given to `replaceSnapshot`, never a part of it; null if there is none. */
  snapshot(stream: string): string | null;
  /** Passes a reader of the journal's current content to `use`. A missing journal counts as empty. */
  journal<T>(stream: string, use: (bytes: JournalReader) => T): T;
  /** Returns a reader of the documents. It reads at each use, because others may change them at any time. */
  files(stream: string): DocumentReader;
  /**
   * Returns the content with this digest, one that was too large for a journal line; null if it is missing or does not
   * match the digest.
   */
  object(stream: string, sha256: string): Buffer | null;
  /** The machine's present boot. */
  boot: Boot;
}

/** A boot of the machine. Data written but not synced before it may be lost. */
export interface Boot {
  /** Returns the boot's id; null if the system does not report one. */
  id(): string | null;
  /** Returns the seconds since the boot. */
  uptime(): number;
}

/**
 * A medium that can also write. The effects of `cut`, `stage` and `append`, and documents marked durable, survive a
 * power cut once the method has returned. For other files, a power cut may leave the old content, an empty or torn
 * file, or none. A crash of the process may stop `stage` and `place` between two documents; for `append` and
 * `replaceSnapshot`, see those methods. `cut` and the methods after it are called only under the stream's lock.
 * @throws every method: DevCliError `IO`
 */
export interface Medium extends ReadMedium {
  /**
   * Runs `work` under the stream's lock, so that no other caller, in this process or another, changes the stream. A
   * lock is free once its process has ended.
   * @throws DevCliError `LOCKED`; any error of `work`
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
   * Prepares a commit: stores large contents under their digests and creates its documents' directories.
   * @returns a function that undoes this if the commit fails; it never throws
   */
  stage(stream: string, large: Map<string, Buffer>, placements: readonly DocumentWrite[]): () => void;
  /**
   * Appends `text` to a journal of `size` bytes, which makes the commit. If it fails, the journal is unchanged. A crash
   * may leave the beginning of `text` at the journal's end, which `cut` then removes.
   */
  append(stream: string, text: string, size: number): void;
  /** Writes documents, each whole or not at all. */
  place(stream: string, placements: readonly DocumentWrite[]): void;
  /** Syncs the directories above the stream, so that no power cut loses it. A stream's first `append` does so too. */
  reach(stream: string): void;
  /** Replaces the stored snapshot. A crash leaves either the old or the new one. */
  replaceSnapshot(stream: string, text: string): void;
}

/**
 * Maintains data outside the stream that changes with a commit, such as a pointer to the stream or a line in a list. A
 * store writes `marks` into the journal and calls these methods under the stream's lock, without knowing what the marks
 * mean. Calling a method again for marks already applied changes nothing. All writes are durable when a method returns.
 * @throws every method: DevCliError `IO`, `LOCKED`
 */
export interface Marker {
  /**
   * Performs the steps that must precede the commit; called before the commit's first file is written.
   * @param marks undefined for a commit without marks, and for documents placed without a commit
   * @returns the later steps; a step with nothing to do is left out
   */
  prepare(stream: string, marks: JsonObject | undefined, commit: MarkedCommit): PreparedMarks;
  /** Does, on the next call, the work of `PreparedMarks.settle` that a crash prevented. */
  settle(stream: string, marks: JsonObject): void;
}

/** The facts about a commit that a marker gets. */
export interface MarkedCommit {
  /** `seq` of the commit's last entry. */
  seq: number;
  /** The marks of the journal's last commit before this one. */
  before: JsonObject | undefined;
}

/** The later steps for marks that were prepared. */
export interface PreparedMarks {
  /** Undoes the preparation of a commit that failed. Its errors are ignored. */
  undo?(): void;
  /** Performs the steps between the writing of the commit's documents and of its snapshot. */
  follow?(): void;
  /** Performs the steps that have to wait until the snapshot is written. */
  settle?(): void;
}
