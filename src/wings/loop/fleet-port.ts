import type { Context } from '../../run/context.js';
import type { GitOptions } from '../../work/git-command.js';
import type { FleetSetting } from './config.js';
import type { Refs } from './refs.js';
import type { Streams } from './streams.js';

/**
 * Where the loop keeps its stream and references: on this machine, or in a fleet's shared database and remote
 * (fleet.md, Three truths).
 */
export interface Backend {
  streams: Streams;
  /** @param top absolute: any work tree of the repository */
  openRefs(top: string, git: GitOptions): Refs;
  /** What the fleet does for its desk, the root that directs the work; null without a fleet. */
  desk: DeskPort | null;
}

/** What the fleet does for its desk. */
export interface DeskPort {
  /** Makes this root the desk of its project until released. @throws DevCliError `LOCKED` if another root is, `IO` */
  hold(): Promise<() => Promise<void>>;
  /** Throws once another root has become the desk. @throws DevCliError `LOCKED`, `IO` */
  requireHold(): Promise<void>;
  /** Whether any root is the desk. @throws DevCliError `IO` */
  isHeld(): Promise<boolean>;
  /**
   * Whether people's answers are carried out at this root: it is the desk, or no root ever was. @throws DevCliError
   * `FLEET_UNAVAILABLE`
   */
  isHere(): Promise<boolean>;
  /**
   * Lists the workers now available for the project. `passed` has the reason for each attempt that the worker skips, by
   * the attempt's name; a reason under the empty name applies to all attempts.
   * @throws DevCliError `FLEET_UNAVAILABLE`
   */
  listWorkers(): Promise<{ worker: string; passed: Readonly<Record<string, string>> }[]>;
  /** Deletes what was stored of an attempt for other machines. @throws DevCliError `FLEET_UNAVAILABLE` */
  forget(attempt: { goal: string; n: number }): Promise<void>;
  /**
   * Returns what is wrong with a goal on the branch, where workers read it; null if nothing. @throws DevCliError
   * `GIT_FAILED`, `IO`
   */
  findFault(goal: string, branch: string): Promise<string | null>;
}

/** Opens the backend of a fleet. @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION`, `IO` */
export type OpenFleet = (context: Context, fleet: FleetSetting, call: BackendCall) => Promise<Backend>;

/** The part of a call that is used. */
export type BackendCall = { env: NodeJS.ProcessEnv };
