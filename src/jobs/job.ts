import { defined } from '../base/defined.js';
import type { ReadContext } from '../run/context.js';
import type { QueuedCommand } from '../run/engine.js';
import { toAbsolutePath } from '../run/paths.js';
import type { RunningCommand, RunState } from '../run/state.js';
import { recordEntry, type Transaction } from '../run/transaction.js';

/**
 * Work that dev-cli does itself, outside the transaction (protocol.md §4). Whatever its kind, a job has one life:
 *
 * 1. asked: a transaction writes it into the state, as one of `commands` or as `engine.job`, and commits;
 * 2. launched: from then on a detached runner sees its processes through (launch.ts, runner.ts);
 * 3. ended: what came of it is read from the runner's records (command.ts, commit.ts, request.ts);
 * 4. told: another transaction takes it out of the state and goes on with its ending (protocol/settle.ts).
 *
 * A run that gives a job up withdraws it in that commit, and ends its processes afterwards (life.ts).
 */
export type Job = CommandJob | CommitJob | RequestJob;

interface Asked {
  /** The `running` action that waits for it; of a command that a worker's check runs, `<action>/<acceptance>`. */
  actionId: string;
  /** Ties its entries together; of a commit, what its trailer says. */
  key: string;
  /** Where its records lie, relative to the run's directory. */
  directory: string;
  /** Where it is done: absolute, or `.` for the root. */
  workTree: string;
}

/** A command of a recipe or of a plan. */
export interface CommandJob extends Asked, RunningCommand {
  kind: 'command';
  /** What the plan wants of it; null for the command of a block, which just has to succeed. */
  acceptance: QueuedCommand | null;
}

/** The commit of a todo, or of all that remains. */
export interface CommitJob extends Asked {
  kind: 'commit';
  /** Null: all that remains. */
  todo: string | null;
  message: string;
}

/** What the pull request of the run is told. */
export interface RequestJob extends Asked {
  kind: 'pull-request';
  /** `stateBegin`: a comment. `stateComplete`: push, text, ready. */
  stage: string;
  /** At the end: the title it gets, if it gets another one. */
  title?: string;
}

/** Stands for a todo in the key of the commit of all that remains. */
export const RESIDUAL = 'residual';

/** The steps at the end, in this order: each in a directory of its own below the job's, so that each is done once. */
export const REQUEST_STEPS = ['push', 'text', 'ready'] as const;

/** The body of the pull request as it is to be, beside the logs of the steps. */
export const REQUEST_BODY_FILE = 'body.md';

/**
 * Asks for a command: it stands in the state, and that it starts is recorded.
 * @param about the todo and the acceptance that want it
 */
export function askCommand(
  tx: Transaction,
  command: Omit<RunningCommand, 'startedAt'>,
  about: { todoId?: string | null; id?: string } = {},
): RunningCommand {
  const asked = { ...command, startedAt: tx.at };
  const { key, block, argv, shell } = asked;
  tx.state.commands[asked.actionId] = asked;
  recordEntry(tx, 'command-started', { key, block, actionId: getActionId(asked), argv, shell, ...about });
  return asked;
}

/** The action that a command belongs to: a task may have several of them run by its check. */
export function getActionId({ actionId }: Pick<RunningCommand, 'actionId'>): string {
  return actionId.split('/', 1)[0] ?? actionId;
}

/** All jobs that are at work for a run. */
export function listJobs(state: RunState): Job[] {
  const commands = Object.values(state.commands).map((command) =>
    toCommandJob(state, command, findAcceptance(state, command)),
  );
  return [...commands, ...listEngineJobs(state)];
}

/** The job that the pending action waits for, or null. */
export function findPendingJob(state: RunState): Job | null {
  const waitsFor = findRunningAction(state);
  return waitsFor === null ? null : (listJobs(state).find(({ actionId }) => actionId === waitsFor) ?? null);
}

/** The id of the pending action where dev-cli itself is at work, else null. */
export function findRunningAction({ pendingAction }: Pick<RunState, 'pendingAction'>): string | null {
  const action = pendingAction?.action;
  return action?.action === 'running' ? action.actionId : null;
}

/** A command that stands in the state, as a job. */
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
  const { kind, stage, title } = job;
  return [{ ...asked, kind, key: `${state.runId}:${stage}`, stage, ...defined({ title }) }];
}

/** The directories in which a job has processes, relative to the run's directory. */
export function listDirectories(job: Job): string[] {
  if (job.kind !== 'pull-request' || job.stage !== 'stateComplete') return [job.directory];
  return REQUEST_STEPS.map((step) => `${job.directory}/${step}`);
}

/** A directory of a run's records. Absolute. */
export function getRecordsPath({ root }: ReadContext, name: string, directory: string): string {
  return toAbsolutePath({ root, workTree: root }, name, directory);
}

/** Where a run, or a job, is at home. Absolute. */
export function getWorkTree({ root }: ReadContext, { workTree }: Pick<RunState, 'workTree'>): string {
  return workTree === '.' ? root : workTree;
}
