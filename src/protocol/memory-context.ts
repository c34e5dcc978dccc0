import { createMemoryRuns, emptyProjectMemory, type MemoryRuns, type ProjectMemory } from '../project/memory.js';
import type { Library } from '../recipe/load/library.js';
import { runCodec } from '../run/codec.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { Ported } from './ports.js';

const START = Date.parse('2026-01-01T00:00:00Z');

const nothing = async (): Promise<never> => {
  throw new Error('No command that is tried in memory asks for it.');
};

/** A context in which use cases run, and what it stands on. */
export interface MemoryContext {
  context: Context & Ported;
  memory: ProjectMemory;
  store: MemoryRuns<RunState>;
}

/** What a context in memory is made of. */
export interface MemoryContextOptions {
  /** Absolute; nothing has to be there. */
  root: string;
  /** Where recipes are read from. */
  library: Library;
  signal: AbortSignal;
  /** How snapshots are read and written. */
  codec?: typeof runCodec;
}

/**
 * Creates a context on an empty store in memory (authoring.md, Simulations). Its clock begins at the same instant and goes on by a
 * millisecond each time that it is read; ids are always the same; the project has no preferences; nobody is asked anything.
 */
export function createMemoryContext({ root, library, signal, codec = runCodec }: MemoryContextOptions): MemoryContext {
  const memory = emptyProjectMemory();
  let now = START;
  const clock = { now: () => (now += 1) };
  const store = createMemoryRuns({ codec, clock, memory });
  const context: Context & Ported = {
    root,
    workTree: root,
    boundRun: null,
    store,
    clock,
    ids: { hex: (length) => 'a'.repeat(length) },
    caller: { kind: 'agent', via: 'simulation' },
    mark: null,
    ask: async () => '',
    decide: async () => null,
    session: null,
    library,
    reader: { read: () => null, list: () => [] },
    startedAt: now,
    answerWithin: 0,
    signal,
    program: ['node', 'dev-cli'],
    runner: '',
    trustDirectory: '',
    home: root,
    searchPath: '',
    cliVersion: 'simulation',
    ports: {
      sections: [],
      checks: [],
      hookHandlers: [],
      skills: async () => ({ listAll: () => [], listFound: () => [] }),
      installs: [],
      audits: [],
      extras: [],
      looks: [],
      setUp: nothing,
      tellInbox: async () => async () => '',
      config: nothing,
    },
  };
  return { context, memory, store };
}
