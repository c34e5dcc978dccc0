import { DevCliError } from '../base/errors.js';
import { canonicalJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { absolutePath } from '../effects/paths.js';
import type { CommandState, RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import type { ExitRecord } from '../work/command.js';
import { endCommand, inspect, launch, waitFinished } from '../work/external.js';
import { treeState } from '../work/git.js';
import type { Context } from './context.js';
import type { Told } from './envelope.js';
import { answerOf, startedAs, whyFailed } from './own-process.js';

/** How an external command ended, as the run sees it. */
export type Ending =
  /** Of a command of dev-cli itself: `said` is why it failed, `answer` the document it printed. */
  | { kind: 'exit'; exit: ExitRecord; said?: string; answer?: Record<string, unknown> | null }
  | { kind: 'interrupted' }
  /** It passed before on this tree. */
  | { kind: 'reused'; tree: string | null };

/** What one look came to: told when something was committed. */
export type Settled = Told | 'nothing' | 'at work' | 'settled by another call';

/**
 * How a command ended, within the time the call has; null while it is at work. It is launched when it has not begun.
 * @throws DevCliError `INTERRUPTED`, `IO`, `COMMAND_FAILED`, `GIT_FAILED`
 */
export async function awaitEnding(
  context: Context,
  head: Head<RunState> & { snapshot: RunState },
  command: CommandState,
  until: number,
): Promise<Ending | null> {
  const { snapshot } = head;
  refuseLinkOut(head, command);
  const directory = directoryOf(context, snapshot.name, command);
  const workTree = workTreeOf(context, snapshot);
  const seen = inspect(directory);
  if (seen.state === 'absent' || seen.state === 'launching') {
    const tree = (await treeState(workTree, { signal: context.signal }))?.digest ?? null;
    if (seen.state === 'absent' && passedBefore(snapshot, command, tree)) return { kind: 'reused', tree };
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
  }
  const ending = await endingIn(context, directory, until);
  if (ending?.kind !== 'exit') return ending;
  if (ending.exit.exit === 0) return { ...ending, answer: answerOf(context, command, directory) };
  return { ...ending, said: whyFailed(context, command, directory) };
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
      return { ok: false, outcome: 'interrupted: its runner died', exit: null };
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
 * Whether the same command passed on the same tree within this run. Never after a retry or an invalidate: those ask for
 * it to be run again (protocol.md §4).
 */
function passedBefore(state: RunState, command: CommandState, tree: string | null): boolean {
  const again = state.pendingAction?.cause === 'retry' || state.pendingAction?.cause === 'invalidate';
  return tree !== null && !again && resultKey(command, tree) in state.commandResults;
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
