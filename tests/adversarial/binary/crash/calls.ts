/** Where a process is cut at a call: before it, with half of it done, or after it. */
export type Position = 'before' | 'inside' | 'after';

/** A file-system call that changes something, as the hook wrote it down. */
export interface Mutation {
  op: string;
  /** Absolute; `stdout` and `stderr` for what is printed; of a program its command line. */
  path: string;
  /** Of a rename or a link. */
  to?: string;
  /** Of a mkdir: the directories that came into being, topmost first. */
  made?: string[];
  /** Of an open: whether the file was there before. */
  existed?: boolean;
  /** Whether it can be cut in the middle. */
  inside: boolean;
  /** What is written or synced is a directory. */
  directory: boolean;
  /** The system refused it: nothing changed. */
  failed: boolean;
}

/** What is wrong on purpose, so that the harness is seen to notice (storage.md, Proofs). */
export type Defect = 'journal-last' | 'no-directory-sync' | 'no-journal-sync' | 'effect-first' | 'in-place';

/** What the hook is to do, in the environment variable `HOOK_PLAN`. */
export interface HookPlan {
  /** Where the calls are written down when the process ends by itself. */
  trace: string | null;
  /** Where it is killed; calls count from 1. */
  cut: { call: number; position: Position } | null;
  defect: Defect | null;
  /** Whether the programs that it starts and waits for count as calls, too. Cut inside, one goes on by itself. */
  programs?: boolean;
  /** Calls count from the first one on that is about such a path; left out: from the first. */
  from?: string;
}

export const HOOK_PLAN = 'DEV_CLI_TEST_CRASH';

/** Functions of node:fs by name. */
export type Calls = { [name: string]: (...args: unknown[]) => unknown };
