import type { JsonObject } from '../base/json.js';

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
