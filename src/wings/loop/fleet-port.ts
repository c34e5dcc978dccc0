import type { Context } from '../../run/context.js';
import type { GitOptions } from '../../work/git-command.js';
import type { FleetSetting } from './config.js';
import type { Refs } from './refs.js';
import type { Streams } from './streams.js';

/** Where the loop keeps what it knows and what was tried: on this machine, or, for a fleet, where many share it (fleet.md, Three truths). */
export interface Backend {
  streams: Streams;
  /** @param top absolute: any work tree of the repository */
  openRefs(top: string, git: GitOptions): Refs;
  /** What the desk of a fleet needs besides; null on one machine. */
  desk: DeskPort | null;
}

/** What a fleet does for its desk. */
export interface DeskPort {
  /** Has this root be the desk of its project until it is released. @throws DevCliError `LOCKED` where another one is, `IO` */
  hold(): Promise<() => Promise<void>>;
  /** Lets nothing be written here once another root is the desk. @throws DevCliError `LOCKED`, `IO` */
  requireHold(): Promise<void>;
  /** Whether some root is the desk. @throws DevCliError `IO` */
  isHeld(): Promise<boolean>;
  /** Whether this root is the desk, or nobody is: only there answers are carried out. @throws DevCliError `FLEET_UNAVAILABLE` */
  isHere(): Promise<boolean>;
  /**
   * The workers for the project that are there now, each with the attempts that it passes by, and why; under no name: all of them.
   * @throws DevCliError `FLEET_UNAVAILABLE`
   */
  listWorkers(): Promise<{ worker: string; passed: Readonly<Record<string, string>> }[]>;
  /** Forgets what was kept for other machines of an attempt. @throws DevCliError `FLEET_UNAVAILABLE` */
  forget(attempt: { goal: string; n: number }): Promise<void>;
  /** What is wrong with a goal as it is on the branch, where workers read it; null: nothing. @throws DevCliError `GIT_FAILED`, `IO` */
  findFault(goal: string, branch: string): Promise<string | null>;
}

/** Opens what a fleet shares. @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION`, `IO` */
export type OpenFleet = (context: Context, fleet: FleetSetting, call: BackendCall) => Promise<Backend>;

/** What is read of a call. */
export type BackendCall = { env: NodeJS.ProcessEnv };
