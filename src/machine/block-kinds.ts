/**
 * The properties that all blocks of a type have in every recipe. The machine uses them, and so does the code that
 * draws, simulates and verifies recipes.
 */
export interface BlockTraits {
  /** Who acts: dev-cli, the agent, other agents, a person, or the machine of an execution. */
  by: 'cli' | 'agent' | 'agents' | 'person' | 'engine';
  /** The kind of action that is pending while the run waits for the block (run/action.ts). */
  action: 'running' | 'llm' | 'llm-loop' | 'llm+cli' | 'dispatch-subagents' | 'wait-for-user' | 'engine-dispatch';
  /** Whether the agent hands in data or writes a file; null for neither. */
  hands: 'data' | 'file' | null;
  /** Whether the agent may report a `result`, which conditions in the recipe can test. */
  reports: boolean;
  /** Whether the block works in rounds until one passes. */
  loops: boolean;
  /** The default for `onError`, which decides what happens after a failure. */
  onError: 'halt' | 'continue';
}

/** The types of blocks. */
export const BLOCK_KINDS = {
  cli: { by: 'cli', action: 'running', reports: false, hands: null, loops: false, onError: 'halt' },
  llm: { by: 'agent', action: 'llm', reports: true, hands: 'data', loops: false, onError: 'halt' },
  'llm-loop': { by: 'agent', action: 'llm-loop', reports: true, hands: 'data', loops: true, onError: 'halt' },
  'llm+cli': { by: 'agent', action: 'llm+cli', reports: true, hands: 'file', loops: false, onError: 'halt' },
  subagent: {
    by: 'agents',
    action: 'dispatch-subagents',
    reports: true,
    hands: null,
    loops: false,
    onError: 'continue',
  },
  'subagent-loop': {
    by: 'agents',
    action: 'dispatch-subagents',
    reports: true,
    hands: null,
    loops: true,
    onError: 'halt',
  },
  'wait-for-user': {
    by: 'person',
    action: 'wait-for-user',
    reports: false,
    hands: null,
    loops: false,
    onError: 'halt',
  },
  /** The only block of an engine recipe; a separate machine executes it (engine.md, Shape). */
  engine: { by: 'engine', action: 'engine-dispatch', reports: false, hands: null, loops: false, onError: 'halt' },
} as const satisfies Record<string, BlockTraits>;

/** The type of a block. */
export type BlockKind = keyof typeof BLOCK_KINDS;
