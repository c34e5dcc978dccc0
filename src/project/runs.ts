import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Clock, Ids } from '../base/clock.js';
import { canonicalJson } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';
import { requireName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import { type OpenedDirectory, openDirectory } from '../store/directory.js';
import { openDirectoryForReading, type Places } from '../store/directory-reading.js';
import { withIoErrors } from '../store/io.js';
import type { Codec, HistoryStore, ReadStore, Store, WithSeq } from '../store/store.js';
import { RUN_LAYOUT } from './layout.js';
import { movePointer, prepareMarks, setPointer, settleMarks } from './marks.js';
import { activePath, readActive, readSession, type SessionMark } from './pointers.js';
import { type FoundRoot, findRoot, type RootQuery } from './root.js';
import type { SessionChange } from './session-changes.js';

/** Which run is meant where none is named. */
interface Pointers {
  /** The run named by the active pointer, or null. */
  active(): Promise<string | null>;
  /** The run a harness session is bound to, or null. */
  session(id: string): Promise<string | null>;
}

/** The runs of a project, to be read as they are now. */
export interface ReadRuns<S extends WithSeq> extends ReadStore<S>, Pointers {}

/** The same, with their history. */
export interface RunHistories<S extends WithSeq> extends HistoryStore<S>, Pointers {}

/** The runs of a project: streams of the store, and what in `.dev` points to one (storage.md, Layout). */
export interface Runs<S extends WithSeq> extends Store<S>, Pointers {
  /** Makes a run the active one, or clears the pointer. */
  setActive(run: string | null): Promise<void>;
  /** Clears the pointer when it names this run. */
  clearActive(run: string): Promise<void>;
  /** Changes what is known of a session; returns whether it became that. Where there is nothing of dev-cli, it leaves no trace. */
  changeSession(id: string, change: SessionChange): Promise<boolean>;
  /** What is known of a session; null where nothing is. */
  sessionMark(id: string): Promise<SessionMark | null>;
  /**
   * A digest of where the run lies: the same after a rename of it or of a directory above it, another one for a copy, a
   * clone, another user or another machine (protocol.md §4). The run is there, or locked.
   * @throws DevCliError `IO`
   */
  home(run: string): string;
  /** The same of the root. @throws DevCliError `IO` */
  clone(): string;
}

interface ReadOptions<S extends WithSeq> {
  /** The root of the runs, absolute; they lie in `<root>/.dev/specs`. */
  root: string;
  codec: Codec<S>;
  clock: Clock;
}

interface Options<S extends WithSeq> extends ReadOptions<S> {
  ids: Ids;
  /** How long to wait for a lock, in milliseconds. Default: that of the store. */
  lockWaitMs?: number;
  /** What locks are taken for, as a call that has to wait is told. */
  purpose?: string;
}

/** A project as a call finds it: its root, where the call came from, and its runs. */
export interface OpenedProject<R> extends FoundRoot {
  runs: R;
}

/**
 * Finds the root of a call and opens its runs (protocol.md, Root). Nothing is written before the first commit.
 * @throws DevCliError as `findRoot`; `IO` when the root is not there
 */
export function openProject<S extends WithSeq>(
  query: RootQuery,
  options: Omit<Options<S>, 'root'>,
): OpenedProject<Runs<S>> {
  const found = findRoot(query);
  return { ...found, runs: createRuns({ ...options, root: found.root }) };
}

/** The same for questions: nothing that writes is even loaded. */
export function openProjectForReading<S extends WithSeq>(
  query: RootQuery,
  options: Omit<ReadOptions<S>, 'root'>,
): OpenedProject<ReadRuns<S>> {
  const found = findRoot(query);
  return { ...found, runs: createReadRuns({ ...options, root: found.root }) };
}

/**
 * The runs in `<root>/.dev`. Nothing is written before the first commit.
 * @throws DevCliError `IO` when the root is not there
 */
export function createRuns<S extends WithSeq>(options: Options<S>): Runs<S> {
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
      // A harness tells of every session, also where there is nothing of dev-cli.
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

/** The same runs for questions. @throws DevCliError `IO` when the root is not there */
export function createReadRuns<S extends WithSeq>(options: ReadOptions<S>): ReadRuns<S> {
  const { store, places } = openDirectoryForReading({ ...options, layout: RUN_LAYOUT });
  return { ...store, active: async () => findActive(places), session: async (id) => findSession(places, id) };
}

function findActive({ root, home }: Places): string | null {
  return withIoErrors(activePath(home), root, () => readActive(home));
}

function findSession(places: Places, id: string): string | null {
  return aboutSessions(places, () => readSession(places.root, id)?.run ?? null);
}

function aboutSessions<T>({ root, home }: Places, look: () => T): T {
  return withIoErrors(`${home}/sessions`, root, look);
}

const os = loadLazily<typeof import('node:os')>('node:os');

/**
 * Digests machine, user and directory, so that a directory is recognized after a move and told from a copy. The device is left
 * out: its number may change when the machine restarts.
 * @param directory absolute; it is there
 * @throws system errors
 */
export function computePlaceDigest(directory: string): string {
  const { ino } = statSync(directory, { bigint: true });
  return sha256(canonicalJson([readMachineId(), process.getuid?.() ?? -1, String(ino)]));
}

/**
 * Identifies this machine without starting a process. The host name is the second choice: after its first dot it may change
 * with the network.
 */
function readMachineId(): string {
  try {
    const id = readFileSync('/etc/machine-id', 'utf8').trim();
    if (id !== '') return id;
  } catch {
    // No such file on this system, or it is not readable.
  }
  return os().hostname().split('.', 1)[0] ?? '';
}
