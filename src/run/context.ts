import type { Caller } from '../base/caller.js';
import type { Clock, Ids } from '../base/clock.js';
import type { Decision } from '../base/decision.js';
import type { FileReader } from '../base/files.js';
import type { ReadRuns, RunHistories, Runs } from '../project/runs.js';
import type { Library } from '../recipe/load/library.js';
import type { Simulation } from './simulation.js';
import type { RunState } from './state.js';

/**
 * All that a question about the present state of runs may know of the world; nothing in it writes or starts anything. The
 * composition root makes it once for a call.
 */
export interface ReadContext {
  /** Absolute: where `.dev/` is. */
  root: string;
  /** Absolute: what is edited and judged; the root, or where that would lie in a work tree made for a run or a session. */
  workTree: string;
  /** The run that this work tree was made for; null in the root, and in one that was made for no run. */
  boundRun: string | null;
  /** The goal that this work tree was made for an attempt at. */
  boundGoal?: string;
  store: ReadRuns<RunState>;
  clock: Clock;
  /** When the call began to work, by the clock, in milliseconds; a person who was asked does not count as work. */
  startedAt: number;
  caller: Caller;
  /** The name of the environment variable by which a harness marks its calls; null if none is set (protocol.md §1). */
  mark: string | null;
  /** The harness session that calls, when it is known. */
  session: string | null;
  library: Library;
  reader: FileReader;
  /** Seconds within which a call answers, whatever is still at work (protocol.md §4). */
  answerWithin: number;
  signal: AbortSignal;
  cliVersion: string;
  /** Only in the whole program, for runs on disk: what is found out may be kept beside a run (project/own-places.ts). */
  keepsFindings?: true;
  /** Only where a run is tried in memory (wings/authoring/): what stands for the world outside it. */
  simulation?: Simulation;
}

/** The same for a question that also asks for the history of runs, or waits for changes. */
export interface HistoryContext extends ReadContext {
  store: RunHistories<RunState>;
}

/** The same for a use case that changes something. */
export interface Context extends HistoryContext {
  store: Runs<RunState>;
  ids: Ids;
  /** Asks the person at the terminal for a line; only where `caller.terminal` is true. */
  ask: (question: string) => Promise<string>;
  /** Has the person at the terminal decide; null where the decision is left open. Only where `caller.terminal` is true. */
  decide: (decision: Decision) => Promise<string | null>;
  /** The command that starts dev-cli as a process: node, and the absolute path of the entry. */
  program: readonly [string, string];
  /** Absolute path of the detached runner's entry. */
  runner: string;
  /** Directory outside the project that holds the digests of trusted recipes. */
  trustDirectory: string;
  /** The user's home directory. */
  home: string;
  /** PATH, as the caller has it. */
  searchPath: string;
  /**
   * Only in a session whose harness has hooks run: says once that those installed have not been heard in it (harness.md, Sessions).
   * Null where there is nothing to say.
   * @param begun the name of the run that this call has begun
   */
  warnOfSilence?: (begun?: string) => Promise<string | null>;
}

/**
 * The run that a call is about where neither a name nor a session says it: the one that its work tree was made for, else the active
 * one, which is at work in the root itself.
 */
export async function findOwnRun(
  context: Pick<ReadContext, 'root' | 'workTree' | 'boundRun' | 'store'>,
): Promise<string | null> {
  return context.boundRun ?? (context.workTree === context.root ? context.store.active() : null);
}

/**
 * Returns the instant, in milliseconds, by which a call must answer, whatever is still running (protocol.md §4).
 * @param wait seconds that it was asked to wait; `answerWithin` bounds them
 */
export function getDeadline({ startedAt, answerWithin }: ReadContext, wait: number = answerWithin): number {
  return startedAt + Math.min(wait, answerWithin) * 1000;
}

/** Returns the seconds that a printed poll waits: as long as a call may take. */
export function getPollWait({ answerWithin }: ReadContext): number {
  return Math.max(1, Math.floor(answerWithin));
}
