import type { Files } from '../base/files.js';
import type { Bytes } from './journal.js';

/** A document to put in place. `content` null removes it. */
export interface Placement {
  /** Relative to the root. */
  path: string;
  content: Buffer | null;
  /** Set when what is there now must not be lost: it is kept beside it as `<name>.aside-<aside>`. */
  aside?: number;
}

/**
 * Where a store keeps its bytes, as far as it is read. A medium only reads and writes: how a stream is found is in find.ts, the
 * order of a commit and what recovery does in core.ts, once for every medium. All of it is synchronous but the waits.
 */
export interface ReadMedium {
  /** Names of the streams that have a journal, sorted. */
  streams(): string[];
  /** The text of the stored snapshot, or null. */
  state(stream: string): string | null;
  /** Reads the journal; an absent one is empty. */
  journal<T>(stream: string, use: (bytes: Bytes) => T): T;
  files(stream: string): Files;
  /** The content of that digest, or null when it is absent or not what its digest says. */
  object(stream: string, sha256: string): Buffer | null;
  active(): string | null;
  session(id: string): string | null;
}

/**
 * The whole of it. What a method writes is durable when it returns. Everything from `cut` to `movePointer` is called under the
 * stream's lock only.
 */
export interface Medium extends ReadMedium {
  /**
   * Runs `work` while nobody else changes the stream.
   * @throws DevCliError `LOCKED`, `IO`, and what `work` throws
   */
  locked<T>(stream: string, work: () => T): Promise<T>;
  /** `Store.alone`. */
  alone<T>(kind: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when the journal has another size, when the time is over, or when `signal` is aborted. */
  grown(stream: string, size: number, wait: { milliseconds: number; signal: AbortSignal }): Promise<void>;

  /** Shortens the journal to `size` bytes. */
  cut(stream: string, size: number): void;
  /** Renames the stored snapshot and returns its new name. */
  keepStateAside(stream: string): string;
  /**
   * Prepares a commit: contents by digest, and room for documents at `paths` (relative to the root).
   * @returns undoes it, for a commit that did not come about
   */
  stage(stream: string, contents: Map<string, Buffer>, paths: string[]): () => void;
  /** Appends to a journal of `size` bytes in one write. On failure the journal is as it was. */
  append(stream: string, text: string, size: number): void;
  place(stream: string, placements: Placement[]): void;
  replaceState(stream: string, text: string): void;
  /** Notes that the stream guards its tree since `seq`, or (null) no longer does. Writes only a change. */
  guard(stream: string, seq: number | null): void;
  /** `set` makes the stream the active one, `clear` removes the pointer when it names this stream. */
  movePointer(stream: string, move: 'set' | 'clear'): void;

  setActive(stream: string | null): void;
  bindSession(id: string, stream: string | null): void;

  /** A digest of where the stream lies; see `Store.home`. */
  home(stream: string): string;
}
