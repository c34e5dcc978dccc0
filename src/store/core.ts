import { type Clock, instant } from '../base/clock.js';
import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { checkedName } from '../base/name.js';
import { clearUp } from './clear-up.js';
import { type Commit, compose, target, type Writing } from './commit.js';
import { nativeCrc32 } from './crc.js';
import { scanned } from './forward.js';
import {
  type Bytes,
  checkRecent,
  entriesAbove,
  journalCorrupt,
  lastCommit,
  readTail,
  type Tail,
  tailAt,
} from './journal.js';
import type { Medium } from './medium.js';
import { runPath } from './paths.js';
import { overlaid, type Redo, redo } from './redo.js';
import { replay } from './replay.js';
import { rewound } from './rewind.js';
import { folded, parsed, seqOf } from './snapshot.js';
import type { Codec, Entry, Head, Marks, Numbered, Store } from './store.js';

/** How much of the journal's end is checked before something is added to it. */
const RECENT = 256 * 1024;

interface Options<S extends Numbered> {
  medium: Medium;
  codec: Codec<S>;
  clock: Clock;
}

/** How often a reader looks again because a writer came in between. */
const LOOKS = 20;

/** A stream as found: journal and stored snapshot brought together, nothing written yet. */
interface Found<S extends Numbered> {
  tail: Tail;
  snapshot: S | null;
  /** What state.json holds once everything is finished; null before the first commit. */
  text: string | null;
  /** Entries whose commit may have been cut short. */
  open: Entry[];
  /** `unusable`: present, and neither parses nor can be patched. */
  stored: 'current' | 'behind' | 'missing' | 'unusable';
  redo: Redo;
  notices: string[];
}

/**
 * The store over a medium: what a commit, a redo and a recovery are (storage.md, A commit), whatever the bytes lie in.
 * @throws per method as documented at `Store`; `NAME_INVALID` for a stream that cannot be one
 */
export function createStore<S extends Numbered>({ medium, codec, clock }: Options<S>): Store<S> {
  /** @param text the stored snapshot, read before the journal: it is written last, so that the journal can only be further */
  function find(stream: string, thorough: boolean, text: string | null): Found<S> {
    const state = brought(stream, thorough, text);
    if (state.snapshot !== null && state.tail.last !== null) {
      codec.checkBelongs(stream, state.snapshot, state.tail.last);
    }
    return state;
  }

  function brought(stream: string, thorough: boolean, text: string | null): Found<S> {
    return medium.journal(stream, (bytes) => {
      const stored = text === null ? null : understood(text);
      const tail = tailFor(bytes, thorough, stored);
      const storedSeq = text === null ? 0 : (stored?.seq ?? null);
      if (storedSeq === tail.seq) return settled(tail, stored, text);
      if (storedSeq !== null && storedSeq > tail.seq) {
        throw journalCorrupt(bytes.name, `entries ${tail.seq + 1} to ${storedSeq} are missing at the end`);
      }
      return behind(stream, bytes, tail, text, stored) ?? rebuilt(stream, tail, text, entriesAbove(bytes, tail, 0));
    });
  }

  /**
   * For a reader, who holds no lock: a commit seen half finished may have been finished meanwhile, and the next one begun,
   * whose documents then look like foreign ones. That cannot be while the snapshot is still the one that was read.
   */
  function findUndisturbed(stream: string): Found<S> {
    for (let look = 1; ; look++) {
      const before = medium.state(stream);
      const state = find(stream, false, before);
      if (state.stored === 'current' || look === LOOKS || medium.state(stream) === before) return state;
    }
  }

  /** The stored snapshot lacks the last entries; null when their patches do not fit it. */
  function behind(stream: string, bytes: Bytes, tail: Tail, text: string | null, stored: S | null): Found<S> | null {
    if (text === null || stored === null) return null;
    const entries = entriesAbove(bytes, tail, stored.seq);
    const state = folded(JSON.parse(text) as JsonObject, entries);
    if (state === null || parsed(codec.serialize(state as unknown as S), codec) === null) return null;
    return found(stream, tail, state, entries, 'behind', []);
  }

  function rebuilt(stream: string, tail: Tail, text: string | null, entries: Entry[]): Found<S> {
    const name = runPath(stream, 'state.json');
    const state = folded(null, entries);
    if (state === null) throw stateCorrupt(name);
    const last = lastCommit(entries);
    // Missing after a single commit: what a crash in the middle of it leaves. Nothing to tell.
    if (text === null && last.length === entries.length) return found(stream, tail, state, last, 'missing', []);
    const stored = text === null ? 'missing' : 'unusable';
    const notice = `${name} ${text === null ? 'was missing' : 'could not be used'}; it is rebuilt from the journal.`;
    return found(stream, tail, state, last, stored, [notice], 'leave');
  }

  function found(
    stream: string,
    tail: Tail,
    state: JsonObject,
    open: Entry[],
    stored: Found<S>['stored'],
    notices: string[],
    edited: 'aside' | 'leave' = 'aside',
  ): Found<S> {
    // A patch starts from what an older version wrote, so the unmigrated snapshot is what is stored.
    const text = codec.serialize(state as unknown as S);
    const todo = redo(stream, open, medium.files(stream), (sha) => medium.object(stream, sha), edited);
    return {
      tail,
      snapshot: codec.parse(text),
      text,
      open,
      stored,
      redo: todo,
      notices: [...notices, ...todo.notices],
    };
  }

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

  /** What was parsed last: a call reads the same snapshot several times, and a large one takes its time. */
  let last: { text: string; snapshot: S | null } | null = null;

  function understood(text: string): S | null {
    if (codec.copy === undefined) return parsed(text, codec);
    if (last?.text !== text) last = { text, snapshot: parsed(text, codec) };
    return last.snapshot;
  }

  /** A head for somebody who may change its snapshot. */
  function handedOut(state: Found<S>, files: Head<S>['files']): Head<S> {
    const { snapshot } = state;
    const own = snapshot === null || codec.copy === undefined ? snapshot : codec.copy(snapshot);
    return head({ ...state, snapshot: own }, files, instant(clock.now()));
  }

  return {
    async read(stream) {
      checkedName(stream);
      const state = findUndisturbed(stream);
      return handedOut(state, overlaid(stream, medium.files(stream), state.redo.placements));
    },

    async unfinished(stream) {
      checkedName(stream);
      const stored = seqOf(medium.state(stream));
      return stored !== medium.journal(stream, (bytes) => readTail(bytes).seq);
    },

    async transact(stream, decide) {
      checkedName(stream);
      return medium.locked(stream, () => {
        const state = find(stream, true, medium.state(stream));
        mend(stream, state);
        const current = { ...handedOut(state, medium.files(stream)), unfinished: false };
        const decision = decide(current);
        if ('entries' in decision) write(stream, state, current, decision);
        return decision.answer;
      });
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
      return medium.journal(stream, (bytes) => scanned(bytes, from, visit));
    },

    async grown(stream, size, wait) {
      checkedName(stream);
      await medium.grown(stream, size, wait);
    },

    async rewind(stream, seq) {
      checkedName(stream);
      return medium.journal(stream, (bytes) => rewound(bytes, seq, codec));
    },

    async content(stream, sha256) {
      checkedName(stream);
      return medium.object(stream, sha256);
    },

    async replay(stream, look) {
      checkedName(stream);
      return replay({ medium, codec, stream, look: look ?? {} });
    },

    async streams() {
      return medium.streams();
    },
    async active() {
      return medium.active();
    },
    async setActive(stream) {
      medium.setActive(stream === null ? null : checkedName(stream));
    },
    async clearActive(stream) {
      medium.movePointer(checkedName(stream), 'clear');
    },
    async session(id) {
      return medium.session(id);
    },
    async bindSession(id, stream) {
      medium.bindSession(id, stream === null ? null : checkedName(stream));
    },
  };
}

function tailFor(bytes: Bytes, thorough: boolean, stored: Numbered | null): Tail {
  if (!thorough) return (stored === null ? null : tailAt(bytes, stored.seq)) ?? readTail(bytes);
  const tail = readTail(bytes, nativeCrc32);
  checkRecent(bytes, tail, RECENT);
  return tail;
}

function settled<S extends Numbered>(tail: Tail, snapshot: S | null, text: string | null): Found<S> {
  return { tail, snapshot, text, open: [], stored: 'current', redo: { placements: [], notices: [] }, notices: [] };
}

function head<S extends Numbered>(state: Found<S>, files: Head<S>['files'], at: string): Head<S> {
  const unfinished = state.stored !== 'current';
  return {
    snapshot: state.snapshot,
    seq: state.tail.seq,
    size: state.tail.size,
    files,
    unfinished,
    notices: state.notices,
    at,
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

function stateCorrupt(name: string): DevCliError {
  return new DevCliError(
    'STATE_CORRUPT',
    `${name} could not be used, and the journal cannot rebuild it. Nothing was changed.`,
    {
      details: [{ target: name, problem: 'neither readable nor in the journal' }],
      fix: `Show this to the user: ${name} has to be restored from a copy before the run can go on.`,
    },
  );
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
