import { DevCliError } from '../../../base/errors.js';
import { sha256 } from '../../../base/sha256.js';
import type { CommandJob, CommitJob, Job, RequestJob } from '../../../jobs/job.js';
import type { EndedJob } from '../../../jobs/life.js';
import type { ScriptStep } from '../script-schema.js';

/** Canned ends of jobs, which a rehearsal does not run. */

type Said = NonNullable<ScriptStep['command']>;

const AT = '2026-01-01T00:00:00.000Z';

/** Address of the pull request of a simulated run. */
const PULL_REQUEST = 'https://forge.example/team/project/pull/1';

/** Builds the end of a job: a success, unless the script says otherwise. */
export function buildCannedJobEnd(job: Job, said: Said | undefined): EndedJob {
  switch (job.kind) {
    case 'command':
      return endCommand(job, said);
    case 'commit':
      return endCommit(job, said);
    case 'pull-request':
      return endRequest(job, said);
  }
}

/** Returns the log file of a command, relative to the run's directory. */
export function getLogPath(job: Job): string {
  return `${job.directory}/command.log`;
}

/** Builds a command's output: the script's or, if it gives none, the text that the command's acceptance looks for. */
export function buildOutput(job: CommandJob, said: Said | undefined): string {
  return said?.prints ?? `canned\n${job.acceptance?.stdoutContains ?? ''}\n`;
}

function endCommand(job: CommandJob, said: Said | undefined): EndedJob {
  const wanted = [job.acceptance?.exitCode ?? 0].flat()[0] ?? 0;
  const output = buildOutput(job, said);
  const exit = said?.exit ?? wanted;
  return {
    kind: 'command',
    job,
    ending: {
      kind: 'exit',
      answer: exit === 0 && job.argv[1] === 'pull-request' ? buildForgeAnswer(job) : null,
      exit: {
        key: job.key,
        argv: job.argv,
        tree: null,
        exit,
        signal: null,
        timedOut: false,
        startedAt: AT,
        at: AT,
        durationMs: 1,
        logBytes: Buffer.byteLength(output),
      },
    },
    output,
    after: null,
  };
}

function buildForgeAnswer({ key }: CommandJob): Record<string, unknown> {
  return { ok: true, url: PULL_REQUEST, branch: 'dev/rehearsal', remote: 'origin', made: true, draft: true, key };
}

function endCommit(job: CommitJob, said: Said | undefined): EndedJob {
  const made = (said?.exit ?? 0) === 0;
  return {
    kind: 'commit',
    job,
    ending: {
      outcome: made ? 'made' : 'refused',
      commit: made ? sha256(job.key).slice(0, 40) : null,
      paths: [],
      left: [],
      at: null,
      ...(made ? {} : { reason: said?.prints ?? 'canned: a hook refused it' }),
    },
  };
}

function endRequest(job: RequestJob, said: Said | undefined): EndedJob {
  const what = job.stage === 'stateBegin' ? 'gh pr comment' : 'git push';
  if ((said?.exit ?? 0) !== 0)
    return { kind: 'pull-request', job, ending: { kind: 'failed', what, how: said?.prints ?? `exit ${said?.exit}` } };
  const handedIn = { kind: 'handed in', branch: 'dev/rehearsal' } as const;
  return { kind: 'pull-request', job, ending: job.stage === 'stateBegin' ? { kind: 'commented' } : handedIn };
}

/** Returns the pending job of the run. @throws DevCliError `INTERNAL` if there is none */
export function requirePendingJob(job: Job | null): Job {
  if (job === null) throw new DevCliError('INTERNAL', 'The rehearsal waits for a job that it does not have.');
  return job;
}
