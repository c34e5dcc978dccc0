/** Where in a call a process is killed: before it, with half of it done, or after it. */
export type Position = 'before' | 'inside' | 'after';

/** A file-system call that changes something, as the hook recorded it. */
export interface Mutation {
  op: string;
  /** Absolute path; `stdout` or `stderr` for output; the command line for a program. */
  path: string;
  /** The target of a rename or a link. */
  to?: string;
  /** The directories that a mkdir created, topmost first. */
  made?: string[];
  /** Whether an opened file existed before. */
  existed?: boolean;
  /** Whether the call can be cut in the middle. */
  inside: boolean;
  /** Whether a directory is written or synced. */
  directory: boolean;
  /** Whether the system refused the call, so that nothing changed. */
  failed: boolean;
}

/** A defect planted on purpose, to show that the harness detects it (storage.md, Proofs). */
export type Defect = 'journal-last' | 'no-directory-sync' | 'no-journal-sync' | 'effect-first' | 'in-place';

/** The instructions for the hook, passed in the environment variable that the constant `HOOK_PLAN` names. */
export interface HookPlan {
  /** The file to which the calls are written if the process ends normally. */
  trace: string | null;
  /** Where to kill the process; calls are numbered from 1. */
  cut: { call: number; position: Position } | null;
  defect: Defect | null;
  /** Whether starting a program and waiting for it counts as a call. After a cut inside it, the program runs on. */
  programs?: boolean;
  /** Count only from the first call whose path contains this text; by default from the first call. */
  from?: string;
}

export const HOOK_PLAN = 'DEV_CLI_TEST_CRASH';

/** Functions of node:fs by name. */
export type Calls = { [name: string]: (...args: unknown[]) => unknown };
