import type { DocumentReader } from '../base/files.js';
import type { JournalReader } from './journal.js';

/** A document to put in place. `content` null removes it. */
export interface DocumentWrite {
  /** Relative to the root. */
  path: string;
  content: Buffer | null;
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
  /** The content of that digest, or null when it is absent or not what its digest says. */
  object(stream: string, sha256: string): Buffer | null;
}

/**
 * A medium. What a method writes is durable when it returns: after a power cut it is there, or what was written later.
 * `append` and `replaceSnapshot` take effect whole or, in a crash, as described there; `stage` and `place` may be cut short
 * between two documents. Everything from `cut` on is called only under the stream's lock.
 * @throws every method: DevCliError `IO`
 */
export interface Medium extends ReadMedium {
  /**
   * Runs `work` while no other caller, in this process or another, changes the stream. A lock is free once its process has
   * ended.
   * @throws DevCliError `LOCKED`, and what `work` throws
   */
  locked<T>(stream: string, work: () => T): Promise<T>;
  /** `Store.alone`. */
  alone<T>(kind: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when the journal has another size, when the time is over, or when `signal` is aborted. */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;

  /** Shortens the journal to `size` bytes. */
  cut(stream: string, size: number): void;
  /** Renames the stored snapshot and returns its new name. */
  keepSnapshotAside(stream: string): string;
  /**
   * Prepares a commit: contents by digest, and room for documents at `paths` (relative to the root).
   * @returns a function that undoes it, for a commit that failed; it never throws
   */
  stage(stream: string, contents: Map<string, Buffer>, paths: string[]): () => void;
  /**
   * Appends to a journal of `size` bytes in one write: the commit. If it fails, the journal is as it was; a crash may leave
   * the beginning of `text` at its end, which `cut` removes.
   */
  append(stream: string, text: string, size: number): void;
  /** Puts documents in place, each whole or not at all. */
  place(stream: string, placements: DocumentWrite[]): void;
  /** Replaces the stored snapshot; after a crash there is the old one or the new one. */
  replaceSnapshot(stream: string, text: string): void;
}
