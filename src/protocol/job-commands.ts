import { foreignLine, wholeLine } from '../documents/foreign.js';
import type { QueuedCommand } from '../engine/act/commands.js';
import { commandAgain, commandDone } from '../engine/act/jobs.js';
import { logFile, readText } from '../jobs/command.js';
import { forbiddenListen } from '../jobs/forbidden-listen.js';
import type { Context } from '../run/context.js';
import type { Evidence } from '../run/engine.js';
import type { CommandState, RunState } from '../run/state.js';
import type { Turn } from '../run/turn.js';
import { type TreeState, treeState } from '../work/git.js';
import { directoryOf, type Ending, judged, resultKey, type Settled, withOutput, workTreeOf } from './command-ending.js';
import { toldBy } from './envelope.js';
import { transactTurn } from './turns.js';
import { advanceEngine } from './walk/advance.js';

/** What is said of a command that was not let listen. */
const FORBIDDEN = 'the sandbox forbids listening on a port';

/** Exit codes of a shell or a runner that could not start what it was given. */
const CANNOT_RUN = [126, 127];

/**
 * Commits how a command of the engine ended, as evidence, and lets the engine go on (engine.md, verify).
 * @throws DevCliError `GIT_FAILED`, `IO`; what a transaction throws
 */
export async function finishCommand(
  context: Context,
  snapshot: RunState,
  command: CommandState,
  found: Ending,
): Promise<Settled> {
  const directory = directoryOf(context, snapshot.name, command);
  const first = firstQueued(snapshot);
  const matters = first !== null && outputMatters(first, found);
  const { ending, log } = withOutput(found, directory, first?.stdoutContains, matters);
  const after = await treeState(workTreeOf(context, snapshot), { signal: context.signal });
  const told = await transactTurn(context, snapshot.name, (turn) => {
    const queued = queuedCommand(turn, command);
    if (queued === null) return null;
    if (ending.kind === 'interrupted' && commandAgain(turn, judged(command, ending).outcome, agains(command, ending))) {
      return toldBy(turn);
    }
    const evidence = evidenceOf(turn, command, queued, ending, { after, log });
    if (evidence.ok && evidence.tree !== null) {
      turn.state.commandResults[resultKey(command, evidence.tree)] = {
        at: turn.at,
        actionId: command.actionId,
        log: evidence.log,
      };
    }
    noteChanges(turn, queued, ending, after);
    const event = commandDone(turn, evidence);
    if (event !== null) advanceEngine(turn, [event]);
    return toldBy(turn);
  });
  return told ?? 'settled by another call';
}

/** The command of the job that this one is; null when another call has committed it meanwhile. */
function queuedCommand({ state }: Turn, { actionId }: CommandState): QueuedCommand | null {
  const { pendingAction, engine } = state;
  const action = pendingAction?.action;
  if (action?.action !== 'running' || action.actionId !== actionId) return null;
  return engine?.job?.kind === 'commands' ? (engine.job.queue[0] ?? null) : null;
}

/** Whether what a command wrote says more than how it ended: what it must hold, or why it is red. */
export function outputMatters({ exitCode, stdoutContains }: QueuedCommand, ending: Ending): boolean {
  return stdoutContains !== undefined || (ending.kind === 'exit' && !endedWith(ending, exitCode));
}

/** How often a command whose runner died is run again: that says nothing of the work. */
const AGAIN = 2;

/** The same for one that was interrupted in this way: what vanishes twice is not run a third time. */
function agains({ launches = 1 }: CommandState, ending: Extract<Ending, { kind: 'interrupted' }>): number {
  return ending.vanished ? 2 - launches : AGAIN;
}

function firstQueued({ engine }: RunState): QueuedCommand | null {
  return engine?.job?.kind === 'commands' ? (engine.job.queue[0] ?? null) : null;
}

/** What the output of the command at work must hold. */
export function wantedOutput(state: RunState): string | undefined {
  return firstQueued(state)?.stdoutContains;
}

/** Characters of an output that say why it ended badly. */
const LAST_WORDS = 2000;

/** The end of what a command wrote, where the reason stands; nothing where that is gone. */
export function lastWordsOf(directory: string): string {
  return (readText(logFile(directory)) ?? '').slice(-LAST_WORDS).trim();
}

function lacking(text = ''): string {
  return `its output lacks ${wholeLine(JSON.stringify(text))}`;
}

/** What a command's ending proves of an acceptance: its exit code is the one expected, its output holds what it must. */
export function evidenceOf(
  turn: Turn,
  command: CommandState,
  { id, todo, exitCode, stdoutContains }: QueuedCommand,
  ending: Ending,
  { after, log }: { after: TreeState | null; log: string },
): Evidence {
  const { engine } = turn.state;
  const plain = judged(command, ending);
  const asExpected = ending.kind === 'reused' || endedWith(ending, exitCode);
  const contains = stdoutContains === undefined || ending.kind === 'reused' || log.includes(stdoutContains);
  const ok = asExpected && contains;
  const forbidden = ok || ending.kind !== 'exit' ? null : forbiddenListen(log);
  const outcome = asExpected && !contains ? `${plain.outcome}, but ${lacking(stdoutContains)}` : plain.outcome;
  return {
    id,
    attempt: (todo === null ? undefined : engine?.todos[todo]?.attempt) ?? 1,
    argv: command.argv,
    ok,
    exit: plain.exit,
    outcome: forbidden === null ? outcome : `${outcome}; ${FORBIDDEN}: ${foreignLine(forbidden, 200)}`,
    at: turn.at,
    commit: after?.head ?? null,
    tree: treeOf(ending),
    log: ending.kind === 'reused' ? ending.log : `${command.directory}/command.log`,
    ...(todo !== null && engine?.job?.todo === null ? { todo } : {}),
    ...(ending.kind === 'reused' ? { reused: true } : {}),
    ...(ending.kind === 'exit' ? { durationMs: ending.exit.durationMs } : {}),
    ...(forbidden !== null || (!asExpected && isUnrunnable(ending)) ? { unrunnable: true } : {}),
    ...(forbidden === null ? {} : { forbidden: 'listen' as const }),
  };
}

function endedWith(ending: Ending, exitCode: number): boolean {
  if (ending.kind !== 'exit') return false;
  const { exit, signal, timedOut } = ending.exit;
  return signal === null && !timedOut && exit === exitCode;
}

/** The environment failed, not the work (engine.md, Triage). */
function isUnrunnable(ending: Ending): boolean {
  if (ending.kind === 'interrupted') return true;
  return ending.kind === 'exit' && (ending.exit.error === 'spawn' || CANNOT_RUN.includes(ending.exit.exit ?? 0));
}

function treeOf(ending: Ending): string | null {
  switch (ending.kind) {
    case 'exit':
      return ending.exit.tree;
    case 'reused':
      return ending.tree;
    case 'interrupted':
      return null;
  }
}

/** A command that judges should leave the sources as they are; what it changed may end up in a commit. */
function noteChanges(turn: Turn, { id, todo }: QueuedCommand, ending: Ending, after: TreeState | null): void {
  if (ending.kind !== 'exit' || ending.exit.tree === null || after === null) return;
  if (after.digest === ending.exit.tree) return;
  const line = `${todo === null ? '' : `${todo} `}${id}: the command changed files of the work tree`;
  const { engine } = turn.state;
  if (engine !== null && !engine.openIssues.includes(line)) engine.openIssues.push(line);
}
