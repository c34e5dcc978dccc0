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

/** What the steps of an attempt know of the world. */
export interface AttemptSite {
  context: Context;
  streams: Streams;
  leases: Leases;
  config: LoopConfig;
  /** What sessions inherit: nothing in it is a person's, and nothing can ask. */
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute: the top of the repository, and the way from there to the root, empty or ending in `/`. */
  top: string;
  prefix: string;
  /** Absolute: where the work trees lie. */
  trees: string;
  git: GitOptions;
  refs: Refs;
  role: Role;
  /** Ends sessions and tests. */
  signal: AbortSignal;
  /** The template of a goal's sessions: of this batch's configuration, which somebody trusts. */
  findTool: (goal: LoopGoal) => string;
  /** What memory tells of a goal. */
  tellContext: (goal: string) => Promise<string>;
  /** What a spike has its session try. */
  variant?: TicketDecision;
}

export type LoopCall = Parameters<HandlersOf<typeof LOOP_SPECS>['auto']>[2];

/** A run that waits for a person. */
export interface WaitingRun {
  kind: 'gate' | 'halted' | 'blocked';
  run: string;
  /** The id of its action; `halted` where it has none. */
  action: string;
  goal: string | null;
  summary: string;
  since: string;
  answer?: Invocation | Instruction;
}

/** What others do for the loop (app/wings.ts). */
export interface LoopPorts {
  /** The runs that wait for a person. */
  listWaiting: (context: ReadContext) => Promise<WaitingRun[]>;
  /** Asks the person at the terminal at a gate, as `approve` does. */
  askAtGate: (
    context: Context,
    given: { name: string; choice: string; note?: string },
    call: LoopCall,
  ) => Promise<Answer>;
  /** What a session on a goal is told, by default in plain text. @throws DevCliError `SCHEMA_INVALID`, `CONTEXT_TOO_LARGE`, `IO` */
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
/** As long as a command is waited for in one go, in milliseconds: the runner ends it in time. */
const LONG = 2 ** 31 - 1;

/** Whether a session of the loop calls: by its environment, or, where it has cleaned that, by the tree that it is in. */
export const isSession = ({ boundGoal }: Pick<Context, 'boundGoal'>, env: LoopCall['env']): boolean =>
  boundGoal !== undefined || isOwnSession(env);

/** Where the root lies in an attempt's tree, absolute. */
export const locateRootInTree = ({ prefix }: Pick<AttemptSite, 'prefix'>, { tree }: Pick<Attempt, 'tree'>): string =>
  posix.join(tree, prefix).replace(/\/$/, '');

/** What is not the attempt's work, and stays in its tree when that is put on a commit. */
export const listKeptPaths = ({ prefix }: Pick<AttemptSite, 'prefix'>): string[] => [`${prefix}.ai`, `${prefix}.dev`];

/** The directory of an attempt's records, absolute. */
export const findRecords = ({ context }: Pick<AttemptSite, 'context'>, attempt: Pick<Attempt, 'goal' | 'n'>): string =>
  `${context.root}/.dev/loop/${nameRecords(attempt)}`;

/** Where the fleet's database is by default (fleet.md, Trust): also no session of a project without a fleet may learn it. */
const DATABASE = 'DEV_CLI_DATABASE';

/**
 * The environment of sessions and tests: without the marks of a harness and git's variables, and marked itself, so that whatever they
 * start is no person (loop-core.md, auto, step 3).
 */
export function buildSessionEnvironment(inherited: NodeJS.ProcessEnv): AttemptSite['env'] {
  const taken = new Set<string>([...listHarnessMarks(), ...SESSION_VARIABLES, DATABASE]);
  const kept = Object.entries(inherited).filter(([name]) => !name.startsWith('GIT_') && !taken.has(name));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', [OWN_MARK]: '1' };
}

/** A command of a session or a judge, run once for each name. */
export interface NamedCommand {
  /** The directory of its records, below the attempt's. */
  name: string;
  argv: readonly string[];
  /** What is shown of it. */
  line: string;
  shell: boolean;
  seconds: number;
  /** Absolute path of what it reads. */
  stdin?: string;
}

/**
 * Runs a command in an attempt's tree, or waits for it where it runs already, or takes what it left where it has ended: so nothing is
 * started twice.
 * @returns `interrupted`: a signal ended it, or nobody saw it end
 * @throws DevCliError `IO`, `COMMAND_FAILED`, `LOCKED`
 */
export async function runCommand(
  site: AttemptSite,
  attempt: Attempt,
  { name, argv, line, shell, seconds, stdin }: NamedCommand,
): Promise<CommandFact & { interrupted: boolean }> {
  const directory = `${findRecords(site, attempt)}/${name}`;
  // Of a fleet, what was cut off is run again, as on any other machine; a session is not: it may have done much.
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

/** How a command ended, as its records say. */
export function readFact(directory: string, line: string): CommandFact {
  const seen = inspectJob(directory);
  const log = listLastLines(readLogEnd(directory, LOG_READ), LOG_LINES).join('\n');
  const shown = maskSecrets(line);
  if (seen.state !== 'finished') return { line: shown, exit: null, timedOut: false, started: true, log };
  const { exit, timedOut, error } = seen.exit;
  return { line: shown, exit, timedOut, started: error !== 'spawn', log };
}

/** What a step has come to: the arrow that it takes, and what is known from then on. */
export interface StepEnd {
  event: AttemptEvent;
  patch: Partial<Attempt>;
  /** Documents of the stream, by path. */
  documents?: readonly { path: string; content: string }[];
}

/** Who carries the steps out: one machine all of them, or, of a fleet, its desk and its workers each theirs (fleet.md, An attempt). */
export type Role =
  | { kind: 'alone' }
  | { kind: 'desk'; desk: DeskPort; named: string | undefined }
  | { kind: 'worker'; worker: string; carrier: Carrier };

/** What a worker of a fleet does besides the steps. */
export interface Carrier {
  /** Has elsewhere what an attempt left so far, before that counts. @throws DevCliError `GIT_FAILED`, `CLAIM_REFUSED`, `IO` */
  leave(attempt: Attempt, end: StepEnd): Promise<StepEnd>;
  /**
   * Makes the tree of an attempt here that another machine had, with its run.
   * @param furnish sets a tree up that has the base checked out
   * @returns the tree before what was kept is laid over it; null where `furnish` refused
   * @throws DevCliError `GIT_FAILED`, `FLEET_UNTRUSTED`, `IO`
   */
  arrive(attempt: Attempt, furnish: () => Promise<StepEnd | null>): Promise<{ zero: string } | StepEnd>;
}

/** Where an attempt waits for its desk, or a person. */
const FOR_DESK: ReadonlySet<Attempt['state']> = new Set(['parked', 'unmoved', 'settling']);

/**
 * Takes an arrow of an attempt, in one commit. One that lost its lease takes none, but what is on the branch stays.
 * @returns the attempt from then on; as it was where it would begin a session that `limits.sessions` does not allow
 * @throws DevCliError as `Streams.transact`; `INTERNAL` for an arrow that its state does not have
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
    // What no worker carries on is nobody's from this very moment on: it is looked for, and not at work any more.
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
  // The desk of a fleet holds nothing.
  const isFree = event === 'INTEGRATED' || role.kind === 'desk';
  return streams.transact(LOOP, decide, { claim: isFree ? null : (attempt.claim ?? null) });
}
