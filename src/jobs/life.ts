import type { Context } from '../run/context.js';
import type { Transaction } from '../run/transaction.js';
import { awaitCommand, type CommandEnded, findReusedCommand } from './command.js';
import { awaitCommit, type CommitEnded, findEmptyCommit, withdrawCommit } from './commit.js';
import { clearPreparation } from './commit-preparation.js';
import { endCommand } from './detached.js';
import { getRecordsPath, getWorkTree, type Job, listDirectories, listJobs } from './job.js';
import type { JobCall } from './launch.js';
import { getWithdrawnFile } from './records.js';
import { awaitRequest, type RequestEnded } from './request.js';

/** Awaits, withdraws and ends jobs of any kind (job.ts). */

/** A job that has ended, with its result. */
export type EndedJob = CommandEnded | CommitEnded | RequestEnded;

/**
 * Waits for a job for as long as the call has time; launches it if it has not begun. An interrupted call may be
 * repeated.
 * @returns null while the job is running
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`, `COMMAND_FAILED`, `LOCKED`, `RUN_UNTRUSTED`
 */
export async function awaitJob(job: Job, call: JobCall): Promise<EndedJob | null> {
  switch (job.kind) {
    case 'command':
      return awaitCommand(job, call);
    case 'commit':
      return awaitCommit(job, call);
    case 'pull-request':
      return awaitRequest(job, call);
  }
}

/**
 * Finds the result of a job that was just requested and needs no process, so that the same transaction can process the
 * result.
 * @returns null if the job has to be awaited
 */
export function findEndingAtOnce(job: Job, call: JobCall, { state, files }: Transaction): EndedJob | null {
  if (files.facts(job.directory).kind !== 'missing') return null;
  switch (job.kind) {
    case 'command':
      return findReusedCommand(job, state, call);
    case 'commit':
      return findEmptyCommit(job, state, call);
    case 'pull-request':
      return null;
  }
}

/**
 * Withdraws jobs. Once the transaction is committed, none of the jobs can begin. If a job has already begun, its runner
 * ends it, even if this process dies. The caller removes the jobs from the state, and calls `endWithdrawnJob` after the
 * transaction.
 */
export function withdrawJobs({ files, at }: Transaction, jobs: readonly Job[]): void {
  for (const directory of jobs.flatMap(listDirectories)) files.write(getWithdrawnFile(directory), `${at}\n`);
}

/**
 * Withdraws all jobs of the run and removes its commands from the state.
 * @returns the jobs
 */
export function withdrawAll(tx: Transaction): Job[] {
  const jobs = listJobs(tx.state);
  withdrawJobs(tx, jobs);
  tx.state.commands = {};
  return jobs;
}

/** Removes files that a job no longer needs once its end is recorded. */
export function tidyJob(job: Job, context: Context, name: string): void {
  if (job.kind === 'commit') clearPreparation(getRecordsPath(context, name, job.directory));
}

/**
 * Ends the processes of a withdrawn job; for a commit, also restores the user's index.
 * @throws DevCliError `IO`, `COMMAND_FAILED`, `INTERRUPTED`
 */
export async function endWithdrawnJob(job: Job, context: Context, name: string): Promise<void> {
  for (const directory of listDirectories(job)) await endCommand(getRecordsPath(context, name, directory));
  if (job.kind !== 'commit') return;
  await withdrawCommit(getWorkTree(context, job), getRecordsPath(context, name, job.directory), {
    signal: context.signal,
  });
}
