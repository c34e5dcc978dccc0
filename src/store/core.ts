import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { checkedName } from '../base/name.js';
import { clearUp } from './clear-up.js';
import { type Commit, compose, target, type Writing } from './commit.js';
import { createFinder, type FinderOptions, type Found } from './find.js';
import { entriesAbove, readTail } from './journal.js';
import type { Medium } from './medium.js';
import { runPath } from './paths.js';
import { createReadStore } from './read-store.js';
import { seqOf } from './snapshot.js';
import type { Entry, Head, Marks, Numbered, Store } from './store.js';

interface Options<S extends Numbered> extends FinderOptions<S> {
  medium: Medium;
}

/**
 * The store over a medium: what a commit, a redo and a recovery are (storage.md, A commit), whatever the bytes lie in.
 * @throws per method as documented at `Store`; `NAME_INVALID` for a stream that cannot be one
 */
export function createStore<S extends Numbered>(options: Options<S>): Store<S> {
  const { medium, codec } = options;
  const finder = createFinder(options);

  /** Under the lock: makes the disk agree with what was found. */
  function mend(stream: string, state: Found<S>): void {
    if (medium.journal(stream, (bytes) => bytes.size) > state.tail.end) cutTail(stream, state);
    if (state.stored === 'unusable') {
      const name = medium.keepStateAside(stream);
      state.notices.push(`The unusable state.json is kept as ${runPath(stream, name)}.`);
    }
    // The line of a run that no longer guards goes out behind the snapshot: it alone may be left of a whole commit.
    if (state.stored === 'current' && state.tail.last?.marks?.guarded === false) medium.guard(stream, null);
    if (state.text === null || state.stored === 'current') return;
    const marks = mergedMarks(state.open);
    if (marks?.guarded) medium.guard(stream, state.tail.seq);
    finish(stream, state.redo.placements, marks, state.text);
  }

  function cutTail(stream: string, state: Found<S>): void {
    medium.cut(stream, state.tail.end);
    state.notices.push(
      `The end of ${runPath(stream, 'events.jsonl')} was torn; what was being written there never happened.`,
    );
  }

  /** What follows the commit. The snapshot comes last, because it says that the rest is done. */
  function finish(stream: string, placements: Commit['placements'], marks: Marks | undefined, text: string): void {
    medium.place(stream, placements);
    if (marks?.pointer !== undefined) medium.movePointer(stream, marks.pointer);
    medium.replaceState(stream, text);
    if (marks?.guarded === false) medium.guard(stream, null);
  }

  function write(stream: string, state: Found<S>, head: Head<S>, decision: Writing<S>): void {
    const previous = state.text === null ? null : stored(state.text, state.snapshot);
    const base = { stream, state: previous, seq: head.seq, at: head.at, files: head.files };
    const commit = compose(base, decision, codec);
    const paths = commit.placements.flatMap(({ path, content }) => (content === null ? [] : [path]));
    const undo = medium.stage(stream, commit.contents, paths);
    try {
      if (decision.marks.guarded) medium.guard(stream, commit.seq);
      medium.append(stream, commit.lines, state.tail.end);
    } catch (error) {
      undo();
      if (decision.marks.guarded && !state.tail.last?.marks?.guarded) clearUp(() => medium.guard(stream, null));
      throw error;
    }
    try {
      finish(stream, commit.placements, decision.marks, commit.state);
    } catch (error) {
      throw recordedAlready(error);
    }
  }

  /** The stored snapshot as it was before anybody changed anything. */
  function stored(text: string, snapshot: S | null): JsonObject {
    if (codec.copy !== undefined && snapshot !== null) return snapshot as unknown as JsonObject;
    return JSON.parse(text) as JsonObject;
  }

  function allEntries(stream: string): Entry[] {
    checkedName(stream);
    return medium.journal(stream, (bytes) => entriesAbove(bytes, readTail(bytes), 0));
  }

  return {
    ...createReadStore(medium, finder),

    async unfinished(stream) {
      checkedName(stream);
      const stored = seqOf(medium.state(stream));
      return stored !== medium.journal(stream, (bytes) => readTail(bytes).seq);
    },

    async transact(stream, decide) {
      checkedName(stream);
      return medium.locked(stream, () => {
        const state = finder.underLock(stream);
        mend(stream, state);
        const current = { ...finder.handedOut(state, medium.files(stream)), unfinished: false };
        const decision = decide(current);
        if ('entries' in decision) write(stream, state, current, decision);
        return decision.answer;
      });
    },

    async alone(kind, work) {
      return medium.alone(kind, work);
    },

    async place(stream, changes) {
      checkedName(stream);
      await medium.locked(stream, () => {
        const committed = medium.journal(stream, (bytes) => bytes.size > 0);
        if (committed || medium.state(stream) !== null) throw cameIntoBeing(stream);
        const placements = changes.map((change) => ({
          path: target(stream, change),
          content: change.content === null ? null : Buffer.from(change.content),
        }));
        const paths = placements.map(({ path }) => path);
        const undo = medium.stage(stream, new Map(), paths);
        try {
          medium.place(stream, placements);
        } catch (error) {
          undo();
          throw error;
        }
      });
    },

    async journal(stream) {
      return allEntries(stream);
    },

    async scan(stream, from, visit) {
      checkedName(stream);
      const { scanned } = await import('./forward.js');
      return medium.journal(stream, (bytes) => scanned(bytes, from, visit));
    },

    async grown(stream, size, wait) {
      checkedName(stream);
      await medium.grown(stream, size, wait);
    },

    async rewind(stream, seq) {
      checkedName(stream);
      const { rewound } = await import('./rewind.js');
      return medium.journal(stream, (bytes) => rewound(bytes, seq, codec));
    },

    async content(stream, sha256) {
      checkedName(stream);
      return medium.object(stream, sha256);
    },

    async replay(stream, look) {
      checkedName(stream);
      const { replay } = await import('./replay.js');
      return replay({ medium, codec, stream, look: look ?? {} });
    },

    async setActive(stream) {
      medium.setActive(stream === null ? null : checkedName(stream));
    },
    async clearActive(stream) {
      medium.movePointer(checkedName(stream), 'clear');
    },
    home: (stream) => medium.home(checkedName(stream)),
    async bindSession(id, stream) {
      medium.bindSession(id, stream === null ? null : checkedName(stream));
    },
  };
}

/** What several commits in a row leave outside the run's directory. */
function mergedMarks(entries: readonly Entry[]): Marks | undefined {
  const all = entries.flatMap(({ marks }) => marks ?? []);
  return all.length === 0 ? undefined : Object.assign({}, ...all);
}

function cameIntoBeing(stream: string): DevCliError {
  return new DevCliError('RUN_EXISTS', `"${stream}" has a run; its documents change with its commits only.`, {
    fix: 'Repeat the same call.',
  });
}

/** An error that came after the commit: what was asked for stands and will be finished. */
function recordedAlready(error: unknown): unknown {
  if (!(error instanceof DevCliError)) return error;
  return new DevCliError(
    error.code,
    `${error.message} What was asked for is recorded; the next call puts it in place.`,
    {
      details: error.details,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
      cause: error,
    },
  );
}
