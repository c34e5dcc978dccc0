import { REQUEST_STEPS } from '../engine/act/request-job.js';
import { withdrawnFile } from '../jobs/command.js';
import { endCommand } from '../jobs/external.js';
import type { Context } from '../run/context.js';
import { noteRequest } from '../run/note-request.js';
import type { CommandState, RunState } from '../run/state.js';
import { fault, noteStep, record, type Turn } from '../run/turn.js';
import type { Head } from '../store/store.js';
import { awaitEnding, directoryOf, type Ending, judged, resultKey, type Settled } from './command-ending.js';
import { joined, type Told, toldBy } from './envelope.js';
import { commitsWait, isAtWork, pendingId, runningCommand } from './running.js';
import { mayStart } from './trust/place.js';
import { transactTurn } from './turns.js';
import { advance } from './walk/advance.js';

/**
 * Does what a run waits for from dev-cli itself: launches its external command or its job, waits for it as long as the call
 * may take, and commits what has finished, one after the other (protocol.md §4; engine.md); first, commits that had to wait.
 * Null when nothing was committed.
 * @param until instant, in milliseconds, by which the call must answer
 * @param found id of the action that was pending when the call began: if that one is still at work, an earlier call has
 *   launched it
 */
export async function settleCommands(
  context: Context,
  name: string,
  until: number,
  found: string | null,
): Promise<Told | null> {
  let told: Told | null = null;
  for (let first = true; ; first = false) {
    let head = await context.store.read(name);
    if (head.snapshot !== null && commitsWait(head) && (first || isLastCommit(head.snapshot))) {
      const { retryDeferred } = await import('./deferred.js');
      const made = await retryDeferred(context, head.snapshot, until);
      if (made !== null) told = told === null ? made : joined(told, made);
      head = await context.store.read(name);
    }
    const next = await settleNext(context, head, { until, found });
    if (next === 'nothing' || next === 'at work') return told;
    if (next === 'settled by another call') continue;
    told = told === null ? next : joined(told, next);
  }
}

/** Before what remains is committed, what had to wait is tried once more: it has a commit of its own. */
function isLastCommit({ engine }: RunState): boolean {
  return engine?.job?.kind === 'commit' && engine.job.todo === null;
}

async function settleNext(
  context: Context,
  head: Head<RunState>,
  { until, found }: { until: number; found: string | null },
): Promise<Settled> {
  const { snapshot } = head;
  if (snapshot === null || !isAtWork(head)) return 'nothing';
  const command = runningCommand(head);
  if (command === null) {
    const { settleJob } = await import('./jobs.js');
    return settleJob(context, snapshot, { until, launched: pendingId(snapshot) === found });
  }
  const launched = command.actionId === found;
  if (snapshot.engine === null) {
    const ending = await awaitEnding(context, { ...head, snapshot }, command, { until, launched });
    if (ending === null) return 'at work';
    return (
      (await transactTurn(context, snapshot.name, (turn) => finish(turn, command, ending))) ?? 'settled by another call'
    );
  }
  const { finishCommand, wantedOutput } = await import('./job-commands.js');
  const waiting = { until, launched, contains: wantedOutput(snapshot) };
  const ending = await awaitEnding(context, { ...head, snapshot }, command, waiting);
  if (ending === null) return 'at work';
  return finishCommand(context, snapshot, command, ending);
}

/** Finishes what a crash left of a run, and records what had to be mended. */
export async function finishCrash(context: Context, name: string): Promise<void> {
  await transactTurn(context, name, () => null);
}

/** What a runner sees through for a run: an external command, or a commit with its hooks. */
export interface AtWork {
  /** Relative to the run's directory. */
  directory: string;
  /** Of a commit: where it is made. Absolute. */
  commitIn?: string;
}

/** All that runners are at work on for a run. */
export function allAtWork({ state, place }: Turn): AtWork[] {
  const action = state.pendingAction?.action;
  const job = state.engine?.job ?? null;
  const commands = Object.values(state.commands).map(({ directory }) => ({ directory }));
  if (job === null || job.kind === 'commands' || action?.action !== 'running') return commands;
  const directory = `actions/${action.actionId}`;
  if (job.kind === 'commit') return [...commands, { directory, commitIn: place.workTree }];
  const steps = job.stage === 'stateComplete' ? REQUEST_STEPS.map((step) => `${directory}/${step}`) : [directory];
  return [...commands, ...steps.map((step) => ({ directory: step }))];
}

/**
 * Gives up the external commands at work, in this turn's commit: from then on none of them begins, and the runner of one that
 * has begun ends it, even if this process does not live to do so.
 * @returns them, for `endRunning` after the commit
 */
export function abandonCommands(turn: Turn): AtWork[] {
  const abandoned = allAtWork(turn);
  withdrawCommands(turn, abandoned);
  turn.state.commands = {};
  return abandoned;
}

/** The same for some of them; whoever calls takes them out of the state. */
export function withdrawCommands({ files, at }: Turn, abandoned: readonly AtWork[]): void {
  for (const { directory } of abandoned) files.write(withdrawnFile(directory), `${at}\n`);
}

/**
 * Ends the process group of what was given up; of a commit, the user's index is as it was. What a copied run has at work is
 * at work for the one it was copied from.
 */
export async function endRunning(context: Context, name: string, { directory, commitIn }: AtWork): Promise<void> {
  const { snapshot } = await context.store.read(name);
  if (snapshot !== null && !(await mayStart(context, snapshot))) return;
  const place = directoryOf(context, name, { directory });
  await endCommand(place);
  if (commitIn === undefined) return;
  const { takeBack } = await import('./commit.js');
  await takeBack(context, commitIn, place);
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
    state.commandResults[resultKey(command, ending.exit.tree)] = {
      at: turn.at,
      actionId: command.actionId,
      log: `${command.directory}/command.log`,
    };
  }
  record(turn, 'command-finished', {
    key: command.key,
    block: command.block,
    argv: command.argv,
    exit,
    outcome,
    log: ending.kind === 'reused' ? ending.log : `${command.directory}/command.log`,
    ...(ending.kind === 'reused' ? { reused: true } : {}),
  });
  const told = ok && ending.kind === 'exit' ? noteRequest(turn, command.argv, ending.answer ?? null) : '';
  const summary = `${command.argv.join(' ').slice(0, 120)}: ${outcome}${told}`;
  noteStep(turn, command.block, summary);
  turn.ran.push({ block: command.block, ok, summary });
  if (!ok) fault(turn, command.block, 'COMMAND_FAILED', summary);
  advance(turn, ok ? { type: 'DONE' } : { type: 'FAIL' });
  return toldBy(turn);
}
