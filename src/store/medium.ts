import type { DocumentReader } from '../base/files.js';
import type { JournalReader } from './journal.js';

/** A document to put in place. `content` null removes it. */
export interface DocumentWrite {
  /** Relative to the root. */
  path: string;
  content: Buffer | null;
  /** Set when what is there now must not be lost: it is kept beside it as `<name>.aside-<aside>`. */
  aside?: number;
}

/**
 * What carries the bytes of a store, as far as it is read: a directory, a memory, some day a database. A medium only reads and
 * writes what it is told to. How a stream is found is in read-store.ts, the order of a commit and what recovery does in
 * core.ts, once for all media; tests/core/store/suite.ts is what each has to pass. All of it is synchronous but the waits, so
 * that between reading a head and the commit nothing else has its turn.
 */
export interface ReadMedium {
  /** Names of the streams that have a journal or a snapshot, sorted. */
  streams(): string[];
  /** The text of the stored snapshot as it was given to `replaceSnapshot`, never a part of it; null where there is none. */
  snapshot(stream: string): string | null;
  /** Reads the journal as it is at this moment; an absent one is empty. */
  journal<T>(stream: string, use: (bytes: JournalReader) => T): T;
  /** The documents as they are at each question. They may be changed by others, at any time. */
  files(stream: string): DocumentReader;
  /** The content of that digest, or null when it is absent or not what its digest says. */
  object(stream: string, sha256: string): Buffer | null;
}

/**
 * The whole of it. What a method writes is durable when it returns: after a power cut it is there, or something that was
 * written later. `append` and `replaceSnapshot` take effect whole or, after a crash, as described there; `stage` and `place`
 * may be cut short between two documents. Everything from `cut` on is called under the stream's lock only.
 * @throws every method: DevCliError `IO`
 */
export interface Medium extends ReadMedium {
  /**
   * Runs `work` while no other caller, of this process or another, changes the stream. The lock of a process that has ended is free.
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
   * @returns undoes it, for a commit that did not come about; never throws
   */
  stage(stream: string, contents: Map<string, Buffer>, paths: string[]): () => void;
  /**
   * Appends to a journal of `size` bytes in one write: the commit. On failure the journal is as it was; a crash may leave a
   * beginning of `text` behind what was there, which `cut` takes away.
   */
  append(stream: string, text: string, size: number): void;
  /** Puts documents in place, each whole or not at all. */
  place(stream: string, placements: DocumentWrite[]): void;
  /** Replaces the stored snapshot; after a crash there is the old one or the new one. */
  replaceSnapshot(stream: string, text: string): void;
}
