import { DevCliError } from '../base/errors.js';
import { canonicalJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { advance } from '../effects/advance.js';
import { fault, noteStep } from '../effects/execute.js';
import { absolutePath } from '../effects/paths.js';
import { record, type Turn } from '../effects/turn.js';
import type { CommandState, RunState } from '../run/state.js';
import type { Head } from '../store/store.js';
import { type ExitRecord, withdrawnFile } from '../work/command.js';
import { endCommand, inspect, launch, waitFinished } from '../work/external.js';
import { treeDigest } from '../work/git.js';
import type { Context } from './context.js';
import { joined, type Told, toldBy } from './envelope.js';
import { runningCommand } from './running.js';
import { transactTurn } from './turns.js';

/** How an external command ended, as the run sees it. */
type Ending = { kind: 'exit'; exit: ExitRecord } | { kind: 'interrupted' } | { kind: 'reused' };

/**
 * Launches the external command that a run waits for, waits for it as long as the call may take, and commits what has
 * finished, block after block (protocol.md §4). Null when nothing was committed.
 * @param until instant, in milliseconds, by which the call must answer
 */
export async function settleCommands(context: Context, name: string, until: number): Promise<Told | null> {
  let told: Told | null = null;
  for (;;) {
    const head = await context.store.read(name);
    const command = runningCommand(head);
    if (command === null) return told;
    const ending = await awaitEnding(context, head, command, until);
    if (ending === null) return told;
    const next = await transactTurn(context, name, (turn) => finish(turn, command, ending));
    if (next === null) continue;
    told = told === null ? next : joined(told, next);
  }
}

/** Finishes what a crash left of a run, and records what had to be mended. */
export async function finishCrash(context: Context, name: string): Promise<void> {
  await transactTurn(context, name, () => null);
}

/**
 * Gives up the external commands at work, in this turn's commit: from then on none of them begins, and the runner of one that
 * has begun ends it, even if this process does not live to do so.
 * @returns them, for `endRunning` after the commit
 */
export function abandonCommands({ state, files, at }: Turn): CommandState[] {
  const abandoned = Object.values(state.commands);
  for (const { directory } of abandoned) files.write(withdrawnFile(directory), `${at}\n`);
  state.commands = {};
  return abandoned;
}

/** Ends the process group of a command that was given up. */
export async function endRunning(context: Context, name: string, command: CommandState): Promise<void> {
  await endCommand(directoryOf(context, name, command));
}

async function awaitEnding(
  context: Context,
  head: Head<RunState>,
  command: CommandState,
  until: number,
): Promise<Ending | null> {
  const { snapshot } = head;
  if (snapshot === null) return null;
  refuseLinkOut(head, command);
  const directory = directoryOf(context, snapshot.name, command);
  const workTree = snapshot.workTree === '.' ? context.root : snapshot.workTree;
  let seen = inspect(directory);
  if (seen.state === 'absent' || seen.state === 'launching') {
    const tree = await treeDigest(workTree, { signal: context.signal });
    if (seen.state === 'absent' && passedBefore(snapshot, command, tree)) return { kind: 'reused' };
    launch({
      tree,
      directory,
      key: command.key,
      argv: command.argv,
      shell: command.shell,
      cwd: `${workTree}/${command.cwd}`,
      timeoutSeconds: command.timeout,
      runner: context.runner,
    });
  }
  const milliseconds = Math.max(0, until - context.clock.now());
  if (seen.state !== 'finished' && seen.state !== 'interrupted') {
    await waitFinished([directory], { milliseconds, signal: context.signal });
    if (context.signal.aborted) throw new DevCliError('INTERRUPTED', 'Interrupted; the command goes on.');
    seen = inspect(directory);
  }
  if (seen.state === 'finished' && seen.exit !== undefined) return { kind: 'exit', exit: seen.exit };
  if (seen.state !== 'interrupted') return null;
  // What the dead runner had started may live on; a retry must not run beside it.
  await endCommand(directory);
  return { kind: 'interrupted' };
}

function finish(turn: Turn, command: CommandState, ending: Ending): Told | null {
  const { state } = turn;
  const action = state.pendingAction?.action;
  // Another call has committed it meanwhile.
  if (action?.action !== 'running' || action.actionId !== command.actionId) return null;
  const { ok, outcome, exit } = judged(command, ending);
  delete state.commands[command.actionId];
  state.acknowledged[command.actionId] = command.block;
  if (ok && ending.kind === 'exit' && ending.exit.tree !== null) {
    state.commandResults[resultKey(command, ending.exit.tree)] = { at: turn.at, actionId: command.actionId };
  }
  record(turn, 'command-finished', {
    key: command.key,
    block: command.block,
    argv: command.argv,
    exit,
    outcome,
    log: `${command.directory}/command.log`,
    ...(ending.kind === 'reused' ? { reused: true } : {}),
  });
  const summary = `${command.argv.join(' ').slice(0, 120)}: ${outcome}`;
  noteStep(turn, command.block, summary);
  turn.ran.push({ block: command.block, ok, summary });
  if (!ok) fault(turn, command.block, 'COMMAND_FAILED', summary);
  advance(turn, ok ? { type: 'DONE' } : { type: 'FAIL' });
  return toldBy(turn);
}

function judged(command: CommandState, ending: Ending): { ok: boolean; outcome: string; exit: number | null } {
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
      return { ok: exit.exit === 0, outcome: `exit ${exit.exit}`, exit: exit.exit };
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

function resultKey({ argv, shell, cwd }: CommandState, tree: string): string {
  return sha256(canonicalJson({ argv, shell, cwd, tree }));
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

function directoryOf(context: Context, name: string, command: CommandState): string {
  return absolutePath({ root: context.root, workTree: context.root }, name, command.directory);
}
