import type { Context } from '../run/context.js';
import type { Transaction } from '../run/transaction.js';
import { awaitCommand, type CommandEnded } from './command.js';
import { awaitCommit, type CommitEnded, takeBack } from './commit.js';
import { endCommand } from './detached.js';
import { getRecordsPath, getWorkTree, type Job, listDirectories, listJobs } from './job.js';
import type { Call } from './launch.js';
import { withdrawnFile } from './records.js';
import { awaitRequest, type RequestEnded } from './request.js';

/** The life of a job, whatever its kind (job.ts). */

/** A job that has ended, with what came of it. */
export type EndedJob = CommandEnded | CommitEnded | RequestEnded;

/**
 * Launches a job that has not begun and waits for it, within the time the call has. Every part may be cut off and done again.
 * @returns null while it is at work
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`, `COMMAND_FAILED`, `LOCKED`, `RUN_UNTRUSTED`
 */
export async function awaitJob(job: Job, call: Call): Promise<EndedJob | null> {
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
 * Gives jobs up, in this transaction's commit: from then on none of them begins, and the runner of one that has begun ends it, even
 * if this process does not live to do so. Whoever calls takes them out of the state, and ends them after the commit.
 */
export function withdrawJobs({ files, at }: Transaction, jobs: readonly Job[]): void {
  for (const directory of jobs.flatMap(listDirectories)) files.write(withdrawnFile(directory), `${at}\n`);
}

/** The same for all jobs of the run, and takes its commands out of the state. Gives the jobs. */
export function withdrawAll(tx: Transaction): Job[] {
  const jobs = listJobs(tx.state);
  withdrawJobs(tx, jobs);
  tx.state.commands = {};
  return jobs;
}

/**
 * Ends the processes of a job that was given up; of a commit, the user's index is as it was.
 * @throws DevCliError `IO`, `COMMAND_FAILED`, `INTERRUPTED`
 */
export async function endJob(job: Job, context: Context, name: string): Promise<void> {
  for (const directory of listDirectories(job)) await endCommand(getRecordsPath(context, name, directory));
  if (job.kind !== 'commit') return;
  await takeBack(getWorkTree(context, job), getRecordsPath(context, name, job.directory), { signal: context.signal });
}
