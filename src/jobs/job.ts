import { omitUndefined } from '../base/defined.js';
import type { ReadContext } from '../run/context.js';
import type { QueuedCommand } from '../run/engine.js';
import { toAbsolutePath } from '../run/paths.js';
import type { RunningCommand } from '../run/recipe-state.js';
import type { RunState } from '../run/state.js';
import { recordEntry, type Transaction } from '../run/transaction.js';

/**
 * Work that dev-cli does itself, outside of transactions (protocol.md §4). All kinds of jobs go through the same
 * stages:
 *
 * 1. asked: a transaction writes the job into the state, under `commands` or as `engine.job`, and commits;
 * 2. launched: a detached runner starts its processes and waits for them (launch.ts, runner.ts);
 * 3. ended: the result is read from the runner's records (command.ts, commit.ts, request.ts);
 * 4. settled: another transaction removes the job from the state and acts on its result (protocol/settle.ts).
 *
 * To give up a job, a run withdraws it in a transaction and ends its processes afterwards (life.ts).
 */
export type Job = CommandJob | CommitJob | RequestJob;

interface Asked {
  /** The `running` action that waits for the job or, for a command that `dev-cli check` runs, the task's action. */
  readonly actionId: string;
  /** Identifies the job in the journal; for a commit, also in its trailer. */
  readonly key: string;
  /** The directory of the job's records, relative to the run's directory. */
  readonly directory: string;
  /** The directory in which the job runs: absolute, or `.` for the root. */
  readonly workTree: string;
}

/** A command of a recipe or of a plan. */
export interface CommandJob extends Asked, RunningCommand {
  kind: 'command';
  /** The plan's expectations; null for a block's command, which only has to succeed. */
  acceptance: QueuedCommand | null;
}

/** The commit of a todo, or the residual commit. */
export interface CommitJob extends Asked {
  kind: 'commit';
  /** Null for the residual commit. */
  todo: string | null;
  message: string;
}

/** An update of the run's pull request. */
export interface RequestJob extends Asked {
  kind: 'pull-request';
  /** `stateBegin` adds a comment. `stateComplete` pushes, sets the text, and marks the pull request ready. */
  stage: string;
  /** The new title, set at the end; absent to keep the old one. */
  title?: string;
  /** The address of the issue to comment on at the end. */
  issue?: string;
}

/** Stands in place of a todo's id in the residual commit's key. */
export const RESIDUAL = 'residual';

/**
 * The steps of `stateComplete`, in order. Each has a directory of its own below the job's, so that it runs only once.
 */
export const REQUEST_STEPS = ['push', 'text', 'ready', 'issue'] as const;

/** The file with the new body of the pull request, in the job's directory. */
export const REQUEST_BODY_FILE = 'body.md';

/**
 * Requests a command: adds it to the state and records its start in the journal.
 * @param about the todo and the acceptance that the command is for
 */
export function askCommand(
  tx: Transaction,
  command: Omit<RunningCommand, 'startedAt'>,
  about: { todoId?: string | null; id?: string } = {},
): RunningCommand {
  const asked = { ...command, startedAt: tx.at };
  const { key, actionId, block, argv, shell } = asked;
  tx.state.commands[key] = asked;
  recordEntry(tx, 'command-started', { key, block, actionId, argv: [...argv], shell, ...about });
  return asked;
}

/** Removes the commands that belong to an action from the state. */
export function withdrawCommands({ state: { commands } }: Transaction, actionId: string): void {
  for (const command of Object.values(commands)) if (command.actionId === actionId) delete commands[command.key];
}

/** Lists all jobs of a run that have not ended. */
export function listJobs(state: RunState): Job[] {
  const commands = Object.values(state.commands).map((command) =>
    toCommandJob(state, command, findAcceptance(state, command)),
  );
  return [...commands, ...listEngineJobs(state)];
}

/** Returns the job that the pending action waits for, or null. */
export function findPendingJob(state: RunState): Job | null {
  const waitsFor = findRunningAction(state);
  return waitsFor === null ? null : (listJobs(state).find(({ actionId }) => actionId === waitsFor) ?? null);
}

/** Returns the id of the pending action if it is `running`, else null. */
export function findRunningAction({ pendingAction }: Pick<RunState, 'pendingAction'>): string | null {
  return pendingAction?.action === 'running' ? pendingAction.actionId : null;
}

/** Converts a command in the state to a job. */
export function toCommandJob(
  { workTree }: RunState,
  command: RunningCommand,
  acceptance: QueuedCommand | null,
): CommandJob {
  return { ...command, kind: 'command', workTree, acceptance };
}

function findAcceptance(state: RunState, { actionId }: RunningCommand): QueuedCommand | null {
  const job = state.engine?.job;
  if (job?.kind !== 'commands' || actionId !== findRunningAction(state)) return null;
  return job.queue[0] ?? null;
}

function listEngineJobs(state: RunState): (CommitJob | RequestJob)[] {
  const actionId = findRunningAction(state);
  const job = state.engine?.job ?? null;
  if (job === null || job.kind === 'commands' || actionId === null) return [];
  const asked = { actionId, directory: `actions/${actionId}`, workTree: state.workTree };
  if (job.kind === 'commit') {
    const { kind, key, todo, message } = job;
    return [{ ...asked, kind, key, todo, message }];
  }
  const { kind, stage, title, issue } = job;
  return [{ ...asked, kind, key: `${state.runId}:${stage}`, stage, ...omitUndefined({ title, issue }) }];
}

/** Lists the directories of a job's processes, relative to the run's directory. */
export function listDirectories(job: Job): string[] {
  if (job.kind !== 'pull-request' || job.stage !== 'stateComplete') return [job.directory];
  return REQUEST_STEPS.map((step) => `${job.directory}/${step}`);
}

/** Returns the absolute path of a directory of a run. */
export function getRecordsPath({ root }: ReadContext, name: string, directory: string): string {
  return toAbsolutePath({ root, workTree: root }, name, directory);
}

/** Returns the absolute path of the work tree of a run or a job. */
export function getWorkTree({ root }: ReadContext, { workTree }: Pick<RunState, 'workTree'>): string {
  return workTree === '.' ? root : workTree;
}
