import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { buildCommit, buildRenderings, resolveTarget, type WriteDecision } from './commit.js';
import { readContents, rewindJournal, scanJournal } from './history.js';
import { ignoreFailure } from './io.js';
import { listEntriesAbove, readTail } from './journal.js';
import { streamPath } from './layout.js';
import type { DocumentWrite, MarkedCommit, Marker, Medium, PreparedMarks } from './medium.js';
import {
  createReadStore,
  createStreamOpener,
  type FinderOptions,
  type OpenedStream,
  readStream,
} from './read-store.js';
import { readSeq } from './snapshot.js';
import type { Entry, Store, StreamState, TransactionDecision, WithSeq } from './store.js';

interface Options<S extends WithSeq> extends FinderOptions<S> {
  medium: Medium;
  /**
   * Keeps data outside the stream in step with the `marks` of commits. If absent, marks are only written to the
   * journal.
   */
  marker?: Marker | undefined;
}

/**
 * Creates a store over a medium. Defines the order of steps in a commit, a redo and a recovery, which is the same for
 * every medium (storage.md, A commit).
 * @throws in each method: the errors documented at `Store`, and those of `StoreLayout.checkedName` for an invalid name
 */
export function createStore<S extends WithSeq>(options: Options<S>): Store<S> {
  const { layout, medium, codec, clock, marker } = options;
  const { checkedName, names } = layout;
  const finder = createStreamOpener(options);
  const neighbours = {
    read: (stream: string) => readStream(options, finder, stream),
    streams: () => medium.streams(),
  };

  /**
   * Finishes on disk, under the lock, a commit that a crash interrupted.
   * @returns the last step, to be run once the owner has written the commit's renderings; null if everything is done
   */
  function mend(stream: string, state: OpenedStream<S>): (() => void) | null {
    if (state.tail.size > state.tail.end) cutTail(stream, state);
    if (state.stored === 'unusable') {
      const name = medium.keepSnapshotAside(stream);
      state.notices.push(`The unusable ${names.snapshot} is kept as ${streamPath(layout, stream, name)}.`);
    }
    const { text } = state;
    if (text === null || state.stored === 'current') return null;
    const marking = marker?.prepare(stream, mergeMarks(state.open), describeCommit(state, state.tail.seq));
    putInPlace(stream, state.redo.placements, marking);
    const finish = (): void => conclude(stream, marking, text);
    if (state.stale.length > 0) return finish;
    finish();
    return null;
  }

  function cutTail(stream: string, state: OpenedStream<S>): void {
    medium.cut(stream, state.tail.end);
    state.notices.push(
      `The end of ${streamPath(layout, stream, names.journal)} was torn; the unfinished commit was discarded.`,
    );
  }

  /**
   * Performs the steps that follow a commit's append to the journal: writes its documents, and changes the data outside
   * the stream that its marks describe.
   */
  function putInPlace(stream: string, placements: readonly DocumentWrite[], marking: PreparedMarks | undefined): void {
    medium.place(stream, placements);
    marking?.follow?.();
  }

  /** Writes the snapshot, after everything else, because its presence shows that all earlier steps are done. */
  function conclude(stream: string, marking: PreparedMarks | undefined, text: string): void {
    medium.replaceSnapshot(stream, text);
    marking?.settle?.();
  }

  function write(stream: string, state: OpenedStream<S>, head: StreamState<S>, decision: WriteDecision<S>): void {
    const { seq, at, files } = head;
    const snapshot = state.snapshot as JsonObject | null;
    const base = { layout, stream, codec, snapshot, seq, at, files, boot: medium.boot.id() };
    const commit = buildCommit(base, decision);
    const marking = marker?.prepare(stream, decision.marks, describeCommit(state, commit.seq));
    runOrUndo(marking, () => {
      const undo = medium.stage(stream, commit.large, commit.placements);
      runOrUndo({ undo }, () => medium.append(stream, commit.lines, state.tail.end));
    });
    try {
      putInPlace(stream, commit.placements, marking);
      conclude(stream, marking, commit.text);
      finder.remember(commit.text, commit.snapshot as unknown as S);
    } catch (error) {
      throw addRecordedNote(error);
    }
  }

  /** Finishes an interrupted commit, decides, and writes the decision; called under the stream's lock. */
  function decideUnderLock<A>(stream: string, decide: (head: StreamState<S>) => TransactionDecision<S, A>): A {
    const state = finder.underLock(stream);
    const finish = mend(stream, state);
    const head = { ...finder.toStreamState(stream, state, medium.files(stream)), unfinished: false };
    // `settle` is the last step of a commit, and a crash may have prevented just this step. If this decision commits
    // marks of its own, its own `settle` covers that.
    const settleLast = (): void => {
      const marks = state.stored === 'current' ? state.tail.last?.marks : undefined;
      if (marks !== undefined) marker?.settle(stream, marks);
    };
    let decision: TransactionDecision<S, A>;
    try {
      decision = decide(head);
    } catch (error) {
      ignoreFailure(settleLast);
      throw error;
    }
    if ('entries' in decision) write(stream, state, head, decision);
    else if (decision.renderings !== undefined) {
      medium.place(stream, buildRenderings({ layout, stream, files: head.files }, decision.renderings));
      finish?.();
    }
    if (!('marks' in decision)) settleLast();
    return decision.answer;
  }

  function allEntries(stream: string): Entry[] {
    checkedName(stream);
    return medium.journal(stream, (bytes) => listEntriesAbove(bytes, readTail(bytes), 0));
  }

  return {
    ...createReadStore(options, finder),

    async unfinished(stream) {
      checkedName(stream);
      const stored = readSeq(medium.snapshot(stream));
      return stored !== medium.journal(stream, (bytes) => readTail(bytes).seq);
    },

    async transact(stream, decide) {
      checkedName(stream);
      return medium.locked(stream, () => {
        const held: (() => void)[] = [];
        const hold = (kind: string): void => void held.push(medium.hold(kind));
        try {
          return decideUnderLock(stream, (head) => decide(head, { ...neighbours, hold }));
        } finally {
          for (const release of held) release();
        }
      });
    },

    async place(stream, decide) {
      checkedName(stream);
      return medium.locked(stream, () => {
        const committed = medium.journal(stream, (bytes) => bytes.size > 0);
        if (committed || medium.snapshot(stream) !== null) throw layout.taken(stream);
        const { answer, files } = decide(medium.files(stream));
        if (files.length === 0) return answer;
        const placements = files.map((change) => ({
          path: resolveTarget({ layout, stream }, change),
          content: change.content === null ? null : Buffer.from(change.content),
          durable: true,
        }));
        const marking = marker?.prepare(stream, undefined, { seq: 0, before: undefined });
        runOrUndo(marking, () => {
          const undo = medium.stage(stream, new Map(), placements);
          runOrUndo({ undo }, () => {
            medium.place(stream, placements);
            medium.reach(stream);
          });
        });
        return answer;
      });
    },

    async journal(stream) {
      return allEntries(stream);
    },

    async scan(stream, from, visit) {
      checkedName(stream);
      return medium.journal(stream, (bytes) => scanJournal(bytes, from, visit));
    },

    async grown(stream, size, wait) {
      checkedName(stream);
      await medium.grown(stream, size, wait);
    },

    async rewind(stream, seq) {
      checkedName(stream);
      return medium.journal(stream, (bytes) => rewindJournal(bytes, seq, codec));
    },

    async contents(stream, digests) {
      checkedName(stream);
      return readContents(medium, stream, digests);
    },

    async replay(stream, look) {
      checkedName(stream);
      const { replay } = await import('./replay.js');
      return replay({ layout, medium, codec, clock, stream, look: look ?? {} });
    },
  };
}

/** Runs `work`. If it fails, undoes what was prepared for it and throws its error. */
function runOrUndo(prepared: Pick<PreparedMarks, 'undo'> | undefined, work: () => void): void {
  try {
    work();
  } catch (error) {
    ignoreFailure(() => prepared?.undo?.());
    throw error;
  }
}

function describeCommit<S extends WithSeq>({ tail }: OpenedStream<S>, seq: number): MarkedCommit {
  return { seq, before: tail.last?.marks };
}

/**
 * Merges the marks (what each commit says about data outside the stream) of consecutive commits; the last value of each
 * mark wins.
 */
function mergeMarks(entries: readonly Entry[]): Entry['marks'] {
  const all = entries.flatMap(({ marks }) => marks ?? []);
  return all.length === 0 ? undefined : Object.assign({}, ...all);
}

/** Extends an error raised after the commit: says that the request is recorded and the next call will complete it. */
function addRecordedNote(error: unknown): unknown {
  if (!(error instanceof DevCliError)) return error;
  return new DevCliError(error.code, `${error.message} The request is recorded; the next call completes it.`, {
    details: error.details,
    ...omitUndefined({ fix: error.fix }),
    cause: error,
  });
}
