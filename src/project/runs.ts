import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Clock, Ids } from '../base/clock.js';
import { canonicalJson } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { requireName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { type OpenedDirectory, openDirectory } from '../store/directory.js';
import { openDirectoryForReading, type StorePaths } from '../store/directory-reading.js';
import { withIoErrors } from '../store/io.js';
import type { Codec, HistoryStore, ReadStore, Store, WithSeq } from '../store/store.js';
import { RUN_LAYOUT } from './layout.js';
import { movePointer, prepareMarks, setPointer, settleMarks } from './marks.js';
import { getActivePath, readActive, readSession, type SessionMark } from './pointers.js';
import { type FoundRoot, findRoot, type RootQuery } from './root.js';
import type { SessionChange } from './session-changes.js';

/** Finds the run that a call without a name refers to. */
interface Pointers {
  /** Returns the run that the active pointer names, or null. */
  active(): Promise<string | null>;
  /** Returns the run to which a harness session is bound, or null. */
  session(id: string): Promise<string | null>;
}

/** The runs of a project, for reading their current state. */
export interface ReadRunStore<S extends WithSeq> extends ReadStore<S>, Pointers {}

/** The runs of a project, for reading their state and history. */
export interface RunHistories<S extends WithSeq> extends HistoryStore<S>, Pointers {}

/** The runs of a project: streams of the store, and the pointers to them in `.dev` (storage.md, Layout). */
export interface RunStore<S extends WithSeq> extends Store<S>, Pointers {
  /** Makes a run the active one or, for null, clears the pointer. */
  setActive(run: string | null): Promise<void>;
  /** Clears the pointer if it names this run. */
  clearActive(run: string): Promise<void>;
  /** Changes a session's mark; returns whether it did. Writes nothing in a project that does not use dev-cli. */
  changeSession(id: string, change: SessionChange): Promise<boolean>;
  /** Returns a session's mark; null if there is none. */
  sessionMark(id: string): Promise<SessionMark | null>;
  /**
   * Computes a digest that identifies the run's directory on this machine. The digest survives renaming the run or a
   * parent directory, but differs for a copy, a clone, another user or another machine (protocol.md §4). The run has to
   * exist or be locked.
   * @throws DevCliError `IO`
   */
  home(run: string): string;
  /** Computes the same kind of digest for the root. @throws DevCliError `IO` */
  clone(): string;
}

interface ReadOptions<S extends WithSeq> {
  /** Absolute path of the root; the runs are in `<root>/.dev/specs`. */
  root: string;
  codec: Codec<S>;
  clock: Clock;
}

interface Options<S extends WithSeq> extends ReadOptions<S> {
  ids: Ids;
  /** Milliseconds to wait for a lock. Default: the store's. */
  lockWaitMs?: number;
  /** The purpose of locks, which a waiting call reports. */
  purpose?: string;
}

/** A project as found by a call: its root, where the call came from, and its runs. */
export interface OpenedProject<R> extends FoundRoot {
  runs: R;
}

/**
 * Finds the root of a call and opens its runs (protocol.md, Root). Writes nothing before the first commit.
 * @throws DevCliError as `findRoot`; `IO` if the root does not exist
 */
export function openProject<S extends WithSeq>(
  query: RootQuery,
  options: Omit<Options<S>, 'root'>,
): OpenedProject<RunStore<S>> {
  const found = findRoot(query);
  return { ...found, runs: createRuns({ ...options, root: found.root }) };
}

/** Opens a project only for reading, without loading the code that writes. */
export function openProjectForReading<S extends WithSeq>(
  query: RootQuery,
  options: Omit<ReadOptions<S>, 'root'>,
): OpenedProject<ReadRunStore<S>> {
  const found = findRoot(query);
  return { ...found, runs: createReadRuns({ ...options, root: found.root }) };
}

/**
 * Opens the runs in `<root>/.dev`. Writes nothing before the first commit.
 * @throws DevCliError `IO` if the root does not exist
 */
export function createRuns<S extends WithSeq>(options: Options<S>): RunStore<S> {
  const opened: OpenedDirectory<S> = openDirectory({
    ...options,
    layout: RUN_LAYOUT,
    marker: {
      prepare: (run, marks, commit) => prepareMarks(opened.medium, run, marks, commit),
      settle: (run, marks) => settleMarks(opened.medium, run, marks),
    },
  });
  const { store, medium } = opened;
  const { places } = medium;
  return {
    ...store,
    active: async () => findActive(places),
    session: async (id) => findSession(places, id),
    async setActive(run) {
      setPointer(medium, run === null ? null : requireName(run));
    },
    async clearActive(run) {
      movePointer(medium, requireName(run), 'clear');
    },
    async changeSession(id, change) {
      // A harness reports every session, even in projects that do not use dev-cli.
      if (!existsSync(places.home)) return false;
      const { changeSessionOnDisk } = await import('./session-changes.js');
      let isSo = false;
      medium.exclusively(() => {
        isSo = changeSessionOnDisk(places.root, id, change);
      });
      return isSo;
    },
    sessionMark: async (id) => aboutSessions(places, () => readSession(places.root, id)),
    home: (run) => places.at(requireName(run), '', computePlaceDigest),
    clone: () => withIoErrors(places.root, null, () => computePlaceDigest(places.root)),
  };
}

/** Opens the runs only for reading. @throws DevCliError `IO` if the root does not exist */
export function createReadRuns<S extends WithSeq>(options: ReadOptions<S>): ReadRunStore<S> {
  const { store, places } = openDirectoryForReading({ ...options, layout: RUN_LAYOUT });
  return { ...store, active: async () => findActive(places), session: async (id) => findSession(places, id) };
}

function findActive({ root, home }: StorePaths): string | null {
  return withIoErrors(getActivePath(home), root, () => readActive(home));
}

function findSession(places: StorePaths, id: string): string | null {
  return aboutSessions(places, () => readSession(places.root, id)?.run ?? null);
}

function aboutSessions<T>({ root, home }: StorePaths, look: () => T): T {
  return withIoErrors(`${home}/sessions`, root, look);
}

const os = loadLazily<typeof import('node:os')>('node:os');

/**
 * Computes a digest of machine, user and a directory's inode, which recognizes the directory after a move and
 * distinguishes it from a copy. Leaves out the device number, which may change when the machine restarts.
 * @param directory absolute; has to exist
 * @throws system errors
 */
export function computePlaceDigest(directory: string): string {
  const { ino } = statSync(directory, { bigint: true });
  return sha256(canonicalJson([readMachineId(), process.getuid?.() ?? -1, String(ino)]));
}

/**
 * Identifies this machine without starting a process. The host name is only a fallback, and used only up to its first
 * dot, since the rest may change with the network.
 */
function readMachineId(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    if (id !== '') return id;
  } catch {
    // The file does not exist on this system, or is not readable.
  }
  return os().hostname().split('.', 1)[0] ?? '';
}
