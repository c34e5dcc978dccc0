import { basename } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { canonicalJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { claimFile, type ExitRecord, isWholeLog, logFile, readText } from '../jobs/command.js';
import { endCommand, inspect, launch, waitFinished } from '../jobs/external.js';
import type { Context } from '../run/context.js';
import { absolutePath } from '../run/paths.js';
import type { CommandState, RunState } from '../run/state.js';
import { record } from '../run/turn.js';
import { obstacle } from '../store/claim.js';
import type { Head } from '../store/store.js';
import { treeState } from '../work/git.js';
import { sleep } from '../work/node.js';
import type { Told } from './envelope.js';
import { answerOf, startedAs, whyFailed } from './own-process.js';
import { requirePlace } from './trust/place.js';
import { transactTurn } from './turns.js';

/** How an external command ended, as the run sees it. */
export type Ending =
  /** Of a command of dev-cli itself: `said` is why it failed, `answer` the document it printed. */
  | { kind: 'exit'; exit: ExitRecord; said?: string; answer?: Record<string, unknown> | null }
  /** `vanished`: its records were gone again after a second launch, or what it wrote is gone. */
  | { kind: 'interrupted'; vanished?: true }
  /** It passed before on this tree. `log`: what it wrote then, relative to the run's directory. */
  | { kind: 'reused'; tree: string; log: string };

/** What one look came to: told when something was committed. */
export type Settled = Told | 'nothing' | 'at work' | 'settled by another call';

/** How a call waits for a command. */
export interface Waiting {
  /** Instant, in milliseconds, by which the call must answer. */
  until: number;
  /** Whether an earlier call has recorded the start: then the command was launched once, if that call lived to do so. */
  launched: boolean;
  /** What its output must hold. */
  contains?: string | undefined;
}

/** The same for the job of an execution, of which no command stands in the state. */
export interface WaitingForJob extends Waiting {
  /** The row of the state that counts its launches. */
  find: (state: RunState) => { launches?: number } | undefined;
}

/**
 * How a command ended, within the time the call has; null while it is at work. It is launched when it has not begun.
 * @throws DevCliError `INTERRUPTED`, `IO`, `COMMAND_FAILED`, `GIT_FAILED`, `RUN_UNTRUSTED`
 */
export async function awaitEnding(
  context: Context,
  head: Head<RunState> & { snapshot: RunState },
  command: CommandState,
  waiting: Waiting,
): Promise<Ending | null> {
  refuseLinkOut(head, command);
  const directory = directoryOf(context, head.snapshot.name, command);
  const { state } = inspect(directory);
  const now =
    state === 'absent' || state === 'launching' ? await begin(context, head.snapshot, command, waiting) : null;
  if (now === 'wait') return null;
  const ending = now ?? (await endingIn(context, directory, waiting.until));
  if (ending?.kind !== 'exit') return ending;
  if (ending.exit.exit === 0) return { ...ending, answer: answerOf(command, directory) };
  return { ...ending, said: whyFailed(command, directory) };
}

/** Launches a command that has not begun; what makes that needless, `wait` when another call has done so. */
async function begin(
  context: Context,
  snapshot: RunState,
  command: CommandState,
  { launched, contains }: Waiting,
): Promise<Ending | 'wait' | null> {
  const directory = directoryOf(context, snapshot.name, command);
  const workTree = workTreeOf(context, snapshot);
  const tree = (await treeState(workTree, { signal: context.signal }))?.digest ?? null;
  const absent = inspect(directory).state === 'absent';
  const log = absent ? keptLog(context, snapshot, command, { tree, contains }) : null;
  if (tree !== null && log !== null) return { kind: 'reused', tree, log };
  await requirePlace(context, snapshot);
  if (absent) {
    const find = (state: RunState) => state.commands[command.actionId];
    const again = launched ? await launchAgain(context, snapshot.name, directory, find) : 'launch';
    if (again === 'vanished') return { kind: 'interrupted', vanished: true };
    if (again === 'wait') return 'wait';
  }
  launch({
    tree,
    directory,
    key: command.key,
    argv: startedAs(context, command),
    shell: command.shell,
    cwd: `${workTree}/${command.cwd}`,
    timeoutSeconds: command.timeout,
    runner: context.runner,
  });
  return null;
}

/** Waits for the command in a directory. What a dead runner had started may live on: it is ended. */
export async function endingIn(
  context: Context,
  directory: string,
  until: number,
): Promise<Exclude<Ending, { kind: 'reused' }> | null> {
  let seen = inspect(directory);
  if (seen.state !== 'finished' && seen.state !== 'interrupted') {
    const milliseconds = Math.max(0, until - context.clock.now());
    await waitFinished([directory], { milliseconds, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted; the command goes on.');
    seen = inspect(directory);
  }
  if (seen.state === 'finished') return { kind: 'exit', exit: seen.exit };
  if (seen.state !== 'interrupted') return null;
  await endCommand(directory);
  return { kind: 'interrupted' };
}

/** Where a run's commands and commits are at home. Absolute. */
export function workTreeOf(context: Context, { workTree }: RunState): string {
  return workTree === '.' ? context.root : workTree;
}

/** An ending in words. `ok`: exit 0. */
export function judged(command: CommandState, ending: Ending): { ok: boolean; outcome: string; exit: number | null } {
  switch (ending.kind) {
    case 'reused':
      return { ok: true, outcome: 'passed before on the same tree, reused', exit: 0 };
    case 'interrupted':
      return {
        ok: false,
        outcome: `interrupted: ${ending.vanished ? 'its records vanished' : 'its runner died'}`,
        exit: null,
      };
    case 'exit': {
      const { exit } = ending;
      if (exit.error === 'spawn')
        return { ok: false, outcome: `could not be started: ${exit.reason ?? ''}`, exit: exit.exit };
      if (exit.timedOut) return { ok: false, outcome: `timed out after ${command.timeout} s`, exit: exit.exit };
      if (exit.signal !== null) return { ok: false, outcome: `ended by ${exit.signal}`, exit: null };
      return { ok: exit.exit === 0, outcome: `exit ${exit.exit}${ending.said ?? ''}`, exit: exit.exit };
    }
  }
}

/**
 * The log of the same command where it passed on the same tree within this run, if that can still be shown; else it is run
 * again. Never after a retry or an invalidate: those ask for that (protocol.md §4).
 */
function keptLog(
  context: Context,
  state: RunState,
  command: CommandState,
  { tree, contains = '' }: { tree: string | null; contains: string | undefined },
): string | null {
  const again = state.pendingAction?.cause === 'retry' || state.pendingAction?.cause === 'invalidate';
  const log = tree === null || again ? undefined : state.commandResults[resultKey(command, tree)]?.log;
  if (log === undefined) return null;
  const text = readText(absolutePath({ root: context.root, workTree: context.root }, state.name, log));
  return text?.includes(contains) ? log : null;
}

/** How often a command is launched whose records vanish (protocol.md §4). */
const LAUNCHES = 2;
/** How long the records of a launch by another call may take to appear, in milliseconds. */
const APPEARING = 1_000;

/**
 * Whether a command may be launched of which an earlier call has recorded the start, and no record lies in `directory`: that
 * call was cut off before it, or what the runner had written has vanished. It is counted before it is done.
 * @param find the row of the state that counts; none when another call has settled the command
 * @returns `wait` when there is nothing to do for this call
 * @throws DevCliError `LOCKED` where a runner has claimed it that cannot be looked up from here; what a transaction throws
 */
export async function launchAgain(
  context: Context,
  name: string,
  directory: string,
  find: (state: RunState) => { launches?: number } | undefined,
): Promise<'launch' | 'wait' | 'vanished'> {
  // What cannot be launched is not counted.
  const blocked = obstacle(claimFile(directory));
  if (blocked !== null) throw blocked;
  const mayLaunch = await transactTurn(context, name, (turn) => {
    const row = find(turn.state);
    if (row === undefined) return null;
    if ((row.launches ?? 1) >= LAUNCHES) return false;
    row.launches = (row.launches ?? 1) + 1;
    record(turn, 'recovered', { notices: [`${basename(directory)}: no records of its command; it is launched again`] });
    return true;
  });
  if (mayLaunch !== false) return mayLaunch === null ? 'wait' : 'launch';
  const over = performance.now() + APPEARING;
  while (performance.now() < over && inspect(directory).state === 'absent') await sleep(APPEARING / 20);
  return inspect(directory).state === 'absent' ? 'vanished' : 'wait';
}

/**
 * The ending of a command, and what it wrote as far as that matters; when it is to be searched and has vanished, the ending
 * proves nothing.
 */
export function withOutput(
  ending: Ending,
  directory: string,
  contains: string | undefined,
  matters: boolean,
): { ending: Ending; log: string } {
  if (!matters || ending.kind !== 'exit') return { ending, log: '' };
  const path = logFile(directory);
  const log = readText(path) ?? '';
  if (contains === undefined || log.includes(contains) || isWholeLog(path, ending.exit)) return { ending, log };
  return { ending: { kind: 'interrupted', vanished: true }, log };
}

/** The runner writes where it is told to: not through a link out of the project. */
function refuseLinkOut({ files }: Head<RunState>, { directory }: CommandState): void {
  const { kind } = files.facts(directory);
  if (kind === 'missing' || kind === 'directory') return;
  const problem = kind === 'outside' ? 'it leads out of the project' : 'it is no directory';
  throw new DevCliError('IO', `${directory} of this run cannot take the command's log: ${problem}.`, {
    details: [{ target: directory, problem }],
    fix: `Move what is at ${directory} away, then repeat the same call.`,
  });
}

/** By which a result is known again: the same command on the same tree, of which the same was wanted. */
export function resultKey({ argv, shell, cwd, expects }: CommandState, tree: string): string {
  return sha256(canonicalJson({ argv, shell, cwd, tree, ...(expects === undefined ? {} : { expects }) }));
}

/** Where the runner has its records and the log. Absolute. */
export function directoryOf(context: Context, name: string, command: Pick<CommandState, 'directory'>): string {
  return absolutePath({ root: context.root, workTree: context.root }, name, command.directory);
}
