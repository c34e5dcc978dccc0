import type { JsonObject } from '../../base/json.js';
import type { Handler } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import type { Codec } from '../../store/store.js';
import type { GitOptions } from '../../work/git-command.js';
import type { BranchMove } from '../../work/trees.js';
import type { LoopLease } from './lease-rows.js';

/**
 * The interface between the fleet and the loop (app/wings.ts): no wing imports another, so the types here declare only
 * what both need.
 */

/** The call that a command handles. */
export type FleetCall = Parameters<Handler<JsonObject>>[2];

/** An attempt, without the data that only its steps use. */
export interface LoopAttempt {
  goal: string;
  n: number;
  state: string;
  branch: string;
  base: string;
  tree: string;
  run: string | null;
  kept: string | null;
  head?: string;
  claim?: string | null;
  named?: string;
  /** The version of the loop's steps with which a worker must continue the attempt. */
  steps?: number;
}

/** The part of the loop's state that the fleet reads. */
export interface LoopStateView {
  readonly seq: number;
  readonly leases: Readonly<Record<string, LoopLease>>;
  readonly unsent: readonly JsonObject[];
  readonly attempts: Readonly<Record<string, LoopAttempt>>;
}

/** What a decision returns: the answer for its caller and, if something changes, what to commit to the stream. */
export interface LoopChange<A> {
  answer: A;
  state?: LoopStateView;
  entry?: { type: string; data: JsonObject };
  documents?: readonly { path: string; content: string }[];
}

export interface LoopStreams {
  read(stream: string): Promise<LoopStateView>;
  transact<A>(
    stream: string,
    decide: (state: LoopStateView, at: string) => LoopChange<A>,
    fence?: { claim: string | null },
  ): Promise<A>;
  tellNews(write: (events: readonly JsonObject[]) => void): Promise<void>;
}

export interface LoopRefs {
  findTip(branch: string): Promise<string | null>;
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  move(name: string, move: { from: string | null; to: string | null }): Promise<string | null>;
  moveBranch(branch: string, move: { from: string; to: string }): Promise<BranchMove>;
}

/** The result of a step. */
interface StepEnd {
  patch: Partial<LoopAttempt>;
  documents?: readonly { path: string; content: string }[];
}

export interface LoopCarrier {
  leave(attempt: LoopAttempt, end: StepEnd): Promise<StepEnd>;
  arrive(attempt: LoopAttempt, furnish: () => Promise<StepEnd | null>): Promise<{ zero: string } | StepEnd>;
}

/** A goal as defined at a commit. */
export interface LoopCarriedGoal {
  goal: object;
  recipe: string | null;
  commands: string[];
  digest: string;
  /**
   * Returns the command line of the goal's tool, or of the tool named when the desk was called. @throws DevCliError
   * `TOOL_MISSING`
   */
  tool(named: string | undefined): string;
}

/** The environment in which an attempt's steps run. */
export interface LoopSite {
  readonly context: Context;
  readonly top: string;
}

/**
 * What the loop does for the fleet. These are declared as methods, because TypeScript then lets an implementation give
 * a parameter a narrower type.
 */
export interface Loop {
  /** The version of the loop's steps: a worker carries on only attempts with the same version. */
  version: number;
  codec: Codec<LoopStateView>;
  empty: LoopStateView;
  /** Returns the error for a caller whose lease has ended. */
  refuseOver(claim: string): Error;
  /**
   * Returns the fleet named in a root's configuration. @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `USAGE` if
   * it names none
   */
  requireFleet(context: Context): { project: string; remote: string };
  readGoal(root: string, reader: { read(path: string): string | null }, id: string): LoopCarriedGoal | null;
  listCarried(state: LoopStateView): LoopAttempt[];
  /** Checks that a tool can run here. @throws DevCliError `TOOL_MISSING` if its program is not on this machine */
  requireCarriedTool(context: Context, line: string): void;
  claimNext(
    streams: LoopStreams,
    taker: {
      worker: string;
      claim: string;
      minutes: number;
      accepts: (attempt: LoopAttempt) => boolean;
      isSteady: boolean;
    },
  ): Promise<LoopAttempt | null>;
  openSite(
    context: Context,
    call: Pick<FleetCall, 'env'>,
    given: {
      streams: LoopStreams;
      openRefs: (top: string, git: GitOptions) => LoopRefs;
      worker: string;
      carrier: LoopCarrier;
      attempt: LoopAttempt;
      carried: LoopCarriedGoal;
    },
  ): Promise<LoopSite>;
  carryOn(
    site: LoopSite,
    id: string,
    given: { claim: string; goal: object; tell: (line: string) => void },
  ): Promise<'again' | 'over'>;
  letGo(streams: LoopStreams, attempt: LoopAttempt, why: { reason: string; isOver: boolean }): Promise<void>;
  claimParked(
    streams: LoopStreams,
    taker: { worker: string; claim: string; minutes: number; goal: string },
  ): Promise<LoopAttempt>;
  bringParked(site: LoopSite, attempt: LoopAttempt): Promise<void>;
  giveParked(site: LoopSite, attempt: LoopAttempt, goal: object): Promise<string>;
  removeStray(site: {
    streams: LoopStreams;
    context: Context;
    top: string;
    git: GitOptions;
    env: NodeJS.ProcessEnv;
  }): Promise<void>;
}

export interface FleetPorts {
  loop: Loop;
  /** Opens a context for a call in another root. */
  openContext(call: FleetCall, root: string, signal: AbortSignal): Context;
}

/** The name of the loop's stream. */
export const LOOP = 'loop';

/** Returns the id of an attempt, as `add-auth#2`. */
export const nameAttempt = ({ goal, n }: Pick<LoopAttempt, 'goal' | 'n'>): string => `${goal}#${n}`;

/** Returns the reference that holds the agent's own commits of an attempt. */
export const nameHead = ({ goal, n }: Pick<LoopAttempt, 'goal' | 'n'>): string => `refs/dev-cli/heads/${goal}/${n}`;
