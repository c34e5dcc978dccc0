import { posix } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isOwnSession, listHarnessMarks, OWN_MARK } from '../../base/harness-mark.js';
import type { Instruction, Invocation } from '../../base/invocation.js';
import { listLastLines } from '../../documents/command-words.js';
import { maskSecrets } from '../../documents/foreign.js';
import { SESSION_VARIABLES } from '../../generated/harnesses.js';
import { endCommand, inspectJob, launchDetached, waitFinished } from '../../jobs/detached.js';
import { readLogEnd } from '../../jobs/records.js';
import { RunnerProcesses } from '../../jobs/runner-process.js';
import { removeBelowHome } from '../../project/own-places.js';
import type { HandlersOf } from '../../protocol/ports.js';
import type { Context, ReadContext } from '../../run/context.js';
import type { GitOptions } from '../../work/git-command.js';
import type { LoopConfig } from './config.js';
import type { AttemptEvent } from './core/attempt.js';
import { stepAttempt } from './core/attempt.js';
import { releaseLease } from './core/leases.js';
import type { TicketDecision } from './core/prompt.js';
import type { DeskPort, OpenFleet } from './fleet-port.js';
import type { LoopGoal } from './goals.js';
import type { Leases } from './leases.js';
import type { Refs } from './refs.js';
import type { LOOP_SPECS } from './specs.js';
import { nameAttempt, nameRecords } from './state.js';
import type { Attempt, CommandFact, LoopState } from './state-schema.js';
import { LOOP, type Streams } from './streams.js';

/** The environment in which an attempt's steps run. */
export interface AttemptSite {
  context: Context;
  streams: Streams;
  leases: Leases;
  config: LoopConfig;
  /**
   * The environment variables of sessions, built so that a session neither counts as a person nor prompts for input.
   */
  env: Readonly<Record<string, string | undefined>>;
  /** The absolute top of the repository, and the prefix of the root below it: empty or ending in `/`. */
  top: string;
  prefix: string;
  /** Absolute directory of the work trees. */
  trees: string;
  git: GitOptions;
  refs: Refs;
  role: Role;
  /** Aborted to end sessions and tests. */
  signal: AbortSignal;
  /** Returns the command template of a goal's sessions, from this batch's configuration, which a person trusted. */
  findTool: (goal: LoopGoal) => string;
  /** Returns the context of a goal from memory. */
  tellContext: (goal: string) => Promise<string>;
  /** In a spike, which tries all alternatives of an open decision: the alternative that this session tries. */
  variant?: TicketDecision;
}

export type LoopCall = Parameters<HandlersOf<typeof LOOP_SPECS>['auto']>[2];

/** A run that waits for a person. */
export interface WaitingRun {
  kind: 'gate' | 'halted' | 'blocked';
  run: string;
  /** The id of the run's pending action; `halted` if the run has none. */
  action: string;
  goal: string | null;
  summary: string;
  since: string;
  answer?: Invocation | Instruction;
}

/** What other wings do for the loop (app/wings.ts). */
export interface LoopPorts {
  /** Lists the runs that wait for a person. */
  listWaiting: (context: ReadContext) => Promise<WaitingRun[]>;
  /** Asks the person at the terminal to decide a gate, as `approve` does. */
  askAtGate: (
    context: Context,
    given: { name: string; choice: string; note?: string },
    call: LoopCall,
  ) => Promise<Answer>;
  /**
   * Returns the context that a session on a goal is given, by default in plain text. @throws DevCliError
   * `SCHEMA_INVALID`, `CONTEXT_TOO_LARGE`, `IO`
   */
  tellContext: (
    context: Context,
    call: Pick<LoopCall, 'cwd' | 'env'>,
    goal: string,
    format?: 'markdown' | 'plain' | 'json',
  ) => Promise<string>;
  openFleet?: OpenFleet;
}

/** Lines of a log that are kept for the next prompt. */
const LOG_LINES = 30;
const LOG_READ = 16_000;
/** Milliseconds of one wait for a command; effectively unlimited, as the runner ends the command at its timeout. */
const LONG = 2 ** 31 - 1;

/**
 * Whether a session of the loop is calling: known by its environment or, if the session cleared that, by the tree it is
 * in.
 */
export const isSession = ({ boundGoal }: Pick<Context, 'boundGoal'>, env: LoopCall['env']): boolean =>
  boundGoal !== undefined || isOwnSession(env);

/** Returns the absolute path of the root in an attempt's tree. */
export const locateRootInTree = ({ prefix }: Pick<AttemptSite, 'prefix'>, { tree }: Pick<Attempt, 'tree'>): string =>
  posix.join(tree, prefix).replace(/\/$/, '');

/** Returns the paths that are not the attempt's work and stay when its tree is reset to a commit. */
export const listKeptPaths = ({ prefix }: Pick<AttemptSite, 'prefix'>): string[] => [`${prefix}.ai`, `${prefix}.dev`];

/** Returns the absolute directory of an attempt's records. */
export const findRecords = ({ context }: Pick<AttemptSite, 'context'>, attempt: Pick<Attempt, 'goal' | 'n'>): string =>
  `${context.root}/.dev/loop/${nameRecords(attempt)}`;

/**
 * The variable that by default holds the URL of the fleet's database (fleet.md, Trust). Hidden from the sessions of
 * every project, also without a fleet.
 */
const DATABASE = 'DEV_CLI_DATABASE';

/**
 * Returns the environment of sessions and tests: without harness marks and git's variables, and with the loop's own
 * mark, so that no process started from it counts as a person (loop-core.md, auto, step 3).
 */
export function buildSessionEnvironment(inherited: NodeJS.ProcessEnv): AttemptSite['env'] {
  const taken = new Set<string>([...listHarnessMarks(), ...SESSION_VARIABLES, DATABASE]);
  const kept = Object.entries(inherited).filter(([name]) => !name.startsWith('GIT_') && !taken.has(name));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', [OWN_MARK]: '1' };
}

/**
 * A command that runs a session or a check of an attempt. Within the attempt, each name is used once, and its command
 * runs once.
 */
export interface NamedCommand {
  /** The name of the directory that records the command, in the directory of the attempt's records. */
  name: string;
  argv: readonly string[];
  /** The command as shown to people. */
  line: string;
  shell: boolean;
  seconds: number;
  /** Absolute path of the file for its stdin. */
  stdin?: string;
}

/**
 * Runs a command in an attempt's tree. If it was started before, waits for it or returns its recorded result, so that
 * nothing starts twice.
 * @returns how the command ended; `interrupted` is true if a signal ended it, or if its end was not recorded
 * @throws DevCliError `IO`, `COMMAND_FAILED`, `LOCKED`
 */
export async function runCommand(
  site: AttemptSite,
  attempt: Attempt,
  { name, argv, line, shell, seconds, stdin }: NamedCommand,
): Promise<CommandFact & { interrupted: boolean }> {
  const directory = `${findRecords(site, attempt)}/${name}`;
  // In a fleet, a worker runs an interrupted shell command again, as another machine would. It does not run a session
  // again, because the session may have done much already.
  const isRepeated = shell && site.role.kind === 'worker';
  const forget = () => removeBelowHome(site.context.root, `loop/${nameRecords(attempt)}/${name}`);
  if (isRepeated && inspectJob(directory).state === 'interrupted') forget();
  const { state } = inspectJob(directory);
  if ((state === 'absent' || state === 'launching') && !site.signal.aborted) {
    const runners = new RunnerProcesses();
    const key = `${nameAttempt(attempt)}:${name}`;
    const request = {
      key,
      argv,
      shell,
      cwd: locateRootInTree(site, attempt),
      timeoutSeconds: seconds,
      ...(stdin && { stdin }),
    };
    launchDetached({ ...request, directory, runner: site.context.runner, env: site.env }, runners);
    runners.release();
  }
  try {
    for (;;) {
      await waitFinished([directory], { milliseconds: LONG, signal: site.signal });
      const seen = inspectJob(directory).state;
      if (seen === 'finished' || seen === 'interrupted') break;
    }
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'INTERRUPTED') throw error;
  }
  if (inspectJob(directory).state !== 'finished') await endCommand(directory);
  const fact = readFact(directory, line);
  const interrupted = site.signal.aborted || inspectJob(directory).state !== 'finished';
  if (isRepeated && site.signal.aborted) forget();
  return { ...fact, interrupted };
}

/** Reads how a command ended, from the records in its directory. */
export function readFact(directory: string, line: string): CommandFact {
  const seen = inspectJob(directory);
  const log = listLastLines(readLogEnd(directory, LOG_READ), LOG_LINES).join('\n');
  const shown = maskSecrets(line);
  if (seen.state !== 'finished') return { line: shown, exit: null, timedOut: false, started: true, log };
  const { exit, timedOut, error } = seen.exit;
  return { line: shown, exit, timedOut, started: error !== 'spawn', log };
}

/** The result of a step: the event of its transition, and the changes to the attempt. */
export interface StepEnd {
  event: AttemptEvent;
  patch: Partial<Attempt>;
  /** Documents of the stream, by path. */
  documents?: readonly { path: string; content: string }[];
}

/**
 * Which steps this process carries out: all of them on a single machine; in a fleet, those of the desk or those of a
 * worker (fleet.md, An attempt).
 */
export type Role =
  | { kind: 'alone' }
  | { kind: 'desk'; desk: DeskPort; named: string | undefined }
  | { kind: 'worker'; worker: string; carrier: Carrier };

/** What a fleet's worker does in addition to the steps. */
export interface Carrier {
  /**
   * Stores the attempt's state for other machines before the step is committed. @throws DevCliError `GIT_FAILED`,
   * `CLAIM_REFUSED`, `IO`
   */
  leave(attempt: Attempt, end: StepEnd): Promise<StepEnd>;
  /**
   * Recreates the tree and the run of an attempt that another machine had.
   * @param furnish sets up a tree that has the base checked out
   * @returns `zero`: the tree object from before the kept commit is applied; or, if `furnish` refused, the step's end
   * @throws DevCliError `GIT_FAILED`, `FLEET_UNTRUSTED`, `IO`
   */
  arrive(attempt: Attempt, furnish: () => Promise<StepEnd | null>): Promise<{ zero: string } | StepEnd>;
}

/** States in which an attempt waits for its desk or a person. */
const FOR_DESK: ReadonlySet<Attempt['state']> = new Set(['parked', 'unmoved', 'settling']);

/**
 * Makes a transition of an attempt, in one commit. It is refused once the attempt's lease is over, except for
 * `INTEGRATED`: then the attempt's commit is already on the branch.
 * @returns the attempt afterwards; unchanged if `limits.sessions` allows no further session
 * @throws DevCliError as `Streams.transact`; `INTERNAL` if the state has no such transition
 */
export function applyStepEnd(
  { streams, config: { limits }, role }: Pick<AttemptSite, 'streams' | 'config' | 'role'>,
  attempt: Pick<Attempt, 'goal' | 'n' | 'claim'>,
  { event, patch, documents = [] }: StepEnd,
): Promise<Attempt> {
  const id = nameAttempt(attempt);
  const decide = (state: LoopState, at: string) => {
    const before = state.attempts[id];
    if (before === undefined) throw new DevCliError('INTERNAL', `The attempt ${id} is gone.`);
    const after: Attempt = { ...before, ...patch, state: stepAttempt(before.state, event) };
    const sessions = (state.batch?.sessions ?? 0) + (after.state === 'session' ? 1 : 0);
    if (after.state === 'session' && sessions > limits.sessions) return { answer: before };
    const batch = state.batch && { ...state.batch, sessions };
    // In these states the attempt waits for its desk or a person. Its worker releases the lease in the same commit, so
    // that the attempt does not count as at work.
    const lease = role.kind === 'worker' && FOR_DESK.has(after.state) ? state.leases[before.claim ?? ''] : undefined;
    const why = { at, reason: after.state, goalStatus: null };
    const given =
      lease?.status === 'active' ? releaseLease(state.leases, lease, why) : { leases: state.leases, events: [] };
    return {
      answer: after,
      state: {
        ...state,
        batch,
        leases: given.leases,
        unsent: [...state.unsent, ...given.events],
        attempts: { ...state.attempts, [id]: after },
      },
      entry: { type: 'attempt', data: { id, event, state: after.state } },
      documents,
    };
  };
  // The desk of a fleet has no leases.
  const isFree = event === 'INTEGRATED' || role.kind === 'desk';
  return streams.transact(LOOP, decide, { claim: isFree ? null : (attempt.claim ?? null) });
}
