import { requireName } from '../base/name.js';
import { sha256 } from '../base/sha256.js';
import {
  createMemoryStore,
  createMemoryStoreData,
  type MemoryStore,
  type MemoryStoreData,
  type MemoryStoreOptions,
} from '../store/memory.js';
import type { WithSeq } from '../store/store.js';
import { RUN_LAYOUT } from './layout.js';
import { parseSession, type SessionMark } from './pointers.js';
import type { RunStore } from './runs.js';
import { changeSession } from './session-changes.js';

/** All data of runs kept in memory. Tests change it to simulate a crash or an agent's work. */
export interface ProjectMemory extends MemoryStoreData {
  /** The guarded runs, each with the `seq` since which it is guarded. */
  guards: Map<string, number>;
  /** The texts of the session files, by file name. */
  sessions: Map<string, string>;
  active: string | null;
}

/** Runs in memory, for tests and simulations. */
export type MemoryRuns<S extends WithSeq> = RunStore<S> & Pick<MemoryStore<S>, 'put'>;

/** Creates an empty memory. */
export function emptyProjectMemory(): ProjectMemory {
  return { ...createMemoryStoreData(), guards: new Map(), sessions: new Map(), active: null };
}

/** Creates runs in memory that behave like those in a directory. */
export function createMemoryRuns<S extends WithSeq>(
  options: Pick<MemoryStoreOptions<S>, 'codec' | 'clock'> & { memory?: ProjectMemory },
): MemoryRuns<S> {
  const { memory = emptyProjectMemory(), codec, clock } = options;
  const clear = (run: string): void => {
    if (memory.active === run) memory.active = null;
  };
  const find = (id: string): SessionMark | null => {
    const text = memory.sessions.get(id);
    return text === undefined ? null : parseSession(text);
  };
  const store = createMemoryStore({
    layout: RUN_LAYOUT,
    codec,
    clock,
    memory,
    marker: {
      prepare(run, marks, { seq, before }) {
        const guarded = marks?.['guarded'];
        const pointer = marks?.['pointer'];
        if (guarded === true && !memory.guards.has(run)) memory.guards.set(run, seq);
        return {
          undo() {
            if (guarded === true && before?.['guarded'] !== true) memory.guards.delete(run);
          },
          follow() {
            if (pointer === 'set') memory.active = run;
            if (pointer === 'clear') clear(run);
          },
          settle() {
            if (guarded === false) memory.guards.delete(run);
          },
        };
      },
      settle(run, { guarded }) {
        if (guarded === false) memory.guards.delete(run);
      },
    },
  });
  return {
    ...store,
    active: async () => memory.active,
    session: async (id) => find(id)?.run ?? null,
    async setActive(run) {
      memory.active = run === null ? null : requireName(run);
    },
    async clearActive(run) {
      clear(requireName(run));
    },
    changeSession: async (id, change) =>
      changeSession(
        {
          names: () => [...memory.sessions.keys()],
          read: (name) => memory.sessions.get(name) ?? null,
          write: (name, text) => {
            if (text === null) memory.sessions.delete(name);
            else memory.sessions.set(name, text);
          },
        },
        id,
        change,
      ),
    sessionMark: async (id) => find(id),
    home: (run) => sha256(requireName(run)),
    clone: () => sha256('.'),
  };
}
