import { createMemoryRuns, emptyProjectMemory, type MemoryRuns, type ProjectMemory } from '../project/memory.js';
import type { Library } from '../recipe/load/library.js';
import { runCodec } from '../run/codec.js';
import type { Context } from '../run/context.js';
import type { RunState } from '../run/state.js';
import type { WithPorts } from './ports.js';

const START = Date.parse('2026-01-01T00:00:00Z');

const nothing = async (): Promise<never> => {
  throw new Error('No command of a rehearsal uses it.');
};

/** A context in memory, and the in-memory project and store behind it. */
export interface InMemoryContext {
  context: Context & WithPorts;
  memory: ProjectMemory;
  store: MemoryRuns<RunState>;
}

/** The parts of a context in memory. */
export interface InMemoryContextOptions {
  /** Absolute path, which need not exist. */
  root: string;
  /** The library from which recipes are read. */
  library: Library;
  signal: AbortSignal;
  /** Reads and writes snapshots. */
  codec?: typeof runCodec;
}

/**
 * Creates a context on an empty store in memory (authoring.md, Simulations). Its clock starts at a fixed instant and
 * advances by a millisecond each time it is read; ids are constant; the project has no preferences; nobody is asked
 * anything.
 */
export function createInMemoryContext({
  root,
  library,
  signal,
  codec = runCodec,
}: InMemoryContextOptions): InMemoryContext {
  const memory = emptyProjectMemory();
  let now = START;
  const clock = { now: () => (now += 1) };
  const store = createMemoryRuns({ codec, clock, memory });
  const context: Context & WithPorts = {
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
