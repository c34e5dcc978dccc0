import type { JsonObject } from '../../base/json.js';
import type { Handler } from '../../protocol/ports.js';
import type { Context } from '../../run/context.js';
import type { Codec } from '../../store/store.js';
import type { GitOptions } from '../../work/git-command.js';
import type { BranchMove } from '../../work/trees.js';
import type { LoopLease } from './lease-rows.js';

/** What the fleet is given of the loop, and the loop of it (app/wings.ts): no wing knows another, so only what both need is said here. */

/** Who calls. */
export type FleetCall = Parameters<Handler<JsonObject>>[2];

/** What is known of an attempt outside of its steps. */
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
  /** The version of the steps that it is to be carried on with. */
  steps?: number;
}

/** The loop's state, as far as it is looked into. */
export interface LoopStateView {
  readonly seq: number;
  readonly leases: Readonly<Record<string, LoopLease>>;
  readonly unsent: readonly JsonObject[];
  readonly attempts: Readonly<Record<string, LoopAttempt>>;
}

/** What is to be kept (the loop's Streams). */
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

/** How a step ends. */
interface StepEnd {
  patch: Partial<LoopAttempt>;
  documents?: readonly { path: string; content: string }[];
}

export interface LoopCarrier {
  leave(attempt: LoopAttempt, end: StepEnd): Promise<StepEnd>;
  arrive(attempt: LoopAttempt, furnish: () => Promise<StepEnd | null>): Promise<{ zero: string } | StepEnd>;
}

/** A goal as it is at a commit. */
export interface LoopCarriedGoal {
  goal: object;
  recipe: string | null;
  commands: string[];
  digest: string;
  /** The line of its tool, or of the one that the desk was called with. @throws DevCliError `TOOL_MISSING` */
  tool(named: string | undefined): string;
}

/** What the steps of an attempt know of the world. */
export interface LoopSite {
  readonly context: Context;
  readonly top: string;
}

/** What the loop does for the fleet. Methods, so that each side may know more of a value than the other. */
export interface Loop {
  /** Of the steps: a worker carries on what desks of its own age have begun. */
  version: number;
  codec: Codec<LoopStateView>;
  empty: LoopStateView;
  /** The refusal of whoever speaks for a lease that is over. */
  refuseOver(claim: string): Error;
  /** The fleet that the configuration of a root names. @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `USAGE` without one */
  requireFleet(context: Context): { project: string; remote: string };
  readGoal(root: string, reader: { read(path: string): string | null }, id: string): LoopCarriedGoal | null;
  listCarried(state: LoopStateView): LoopAttempt[];
  /** @throws DevCliError `TOOL_MISSING` where the program of a tool is not on this machine */
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
  /** The context of a call made in another root. */
  openContext(call: FleetCall, root: string, signal: AbortSignal): Context;
}

/** The stream of the loop. */
export const LOOP = 'loop';

/** The id of an attempt: `add-auth#2`. */
export const nameAttempt = ({ goal, n }: Pick<LoopAttempt, 'goal' | 'n'>): string => `${goal}#${n}`;

/** The reference of the agent's own commits in an attempt. */
export const nameHead = ({ goal, n }: Pick<LoopAttempt, 'goal' | 'n'>): string => `refs/dev-cli/heads/${goal}/${n}`;
