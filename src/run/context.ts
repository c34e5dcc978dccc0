import type { Caller } from '../base/caller.js';
import type { Clock, Ids } from '../base/clock.js';
import type { Decision } from '../base/decision.js';
import type { FileReader } from '../base/files.js';
import type { ReadRunStore, RunHistories, RunStore } from '../project/runs.js';
import type { Library } from '../recipe/load/library.js';
import type { Simulation } from './simulation.js';
import type { RunState } from './state.js';

/**
 * Everything outside a run that code may use to answer a question about the present state of runs; no member writes or
 * starts anything. The composition root builds it once per call.
 */
export interface ReadContext {
  /** Absolute path of the directory that contains `.dev/`. */
  root: string;
  /**
   * Absolute path of the directory that is edited and judged: the root or, in a work tree made for a run or a session,
   * the directory that corresponds to the root.
   */
  workTree: string;
  /** The run that this work tree was made for; null in the root and in a work tree made for no run. */
  boundRun: string | null;
  /** The goal whose attempt this work tree was made for. */
  boundGoal?: string;
  store: ReadRunStore<RunState>;
  clock: Clock;
  /**
   * When the call began to work, in milliseconds of `clock`; time spent waiting for a person's answer does not count.
   */
  startedAt: number;
  caller: Caller;
  /** Name of the environment variable by which a harness marks its calls; null if none is set (protocol.md §1). */
  mark: string | null;
  /** The harness session that makes the call; null if unknown. */
  session: string | null;
  library: Library;
  reader: FileReader;
  /** Seconds within which a call answers, even if commands are still running (protocol.md §4). */
  answerWithin: number;
  signal: AbortSignal;
  cliVersion: string;
  /**
   * Whether findings about an edited plan may be cached beside a run (project/own-places.ts). Only the full program
   * sets this, and only for runs on disk.
   */
  keepsFindings?: true;
  /** Set only in a rehearsal (wings/authoring/): replaces the world outside the run. */
  simulation?: Simulation;
}

/** The context of a question that also reads the history of runs, or waits for changes. */
export interface HistoryContext extends ReadContext {
  store: RunHistories<RunState>;
}

/** The context of a use case that changes something. */
export interface Context extends HistoryContext {
  store: RunStore<RunState>;
  ids: Ids;
  /** Asks the person at the terminal for a line of input. Call this only if `caller.terminal` is true. */
  ask: (question: string) => Promise<string>;
  /**
   * Asks the person at the terminal to decide; null if they leave the decision open. Call this only if
   * `caller.terminal` is true.
   */
  decide: (decision: Decision) => Promise<string | null>;
  /** The command that starts dev-cli as a process: node and the absolute path of the entry. */
  program: readonly [string, string];
  /** Absolute path of the entry of the detached runner. */
  runner: string;
  /** Directory outside the project that holds the digests of trusted recipes. */
  trustDirectory: string;
  /** The user's home directory. */
  home: string;
  /** The caller's PATH. */
  searchPath: string;
  /**
   * Returns a warning, once per session, if the installed hooks have not reported in the session; otherwise null.
   * Present only in a session whose harness runs hooks (harness.md, Sessions).
   * @param begun the name of the run that this call has begun
   */
  warnOfSilence?: (begun?: string) => Promise<string | null>;
}

/**
 * Returns the run that a call is about when neither a name nor a session says so: the run that the work tree was made
 * for, else, in the root itself, the active run.
 */
export async function findOwnRun(
  context: Pick<ReadContext, 'root' | 'workTree' | 'boundRun' | 'store'>,
): Promise<string | null> {
  return context.boundRun ?? (context.workTree === context.root ? context.store.active() : null);
}

/**
 * Returns the instant, in milliseconds, by which a call must answer even if commands are still running (protocol.md
 * §4).
 * @param wait the seconds that the caller asked to wait, limited to `answerWithin`
 */
export function getDeadline({ startedAt, answerWithin }: ReadContext, wait: number = answerWithin): number {
  return startedAt + Math.min(wait, answerWithin) * 1000;
}

/** Returns how many seconds a printed poll waits: as long as one call may take. */
export function getPollWait({ answerWithin }: ReadContext): number {
  return Math.max(1, Math.floor(answerWithin));
}
