import { join } from 'node:path';
import {
  buildPushCommand,
  buildPushEnvironment,
  findBranchTip,
  findCurrentBranch,
  findUpstream,
  PUSH_TIMEOUT,
  parsePushCommand,
} from '../work/branch.js';
import { buildForgeEnvironment, GH_TIMEOUT } from '../work/forge.js';
import { resultOrProblem } from '../work/git-command.js';
import type { JobRequest } from './detached.js';
import { getWorkTree, REQUEST_BODY_FILE, REQUEST_STEPS, type RequestJob } from './job.js';
import { awaitProcess, type Call, getJobDirectory, hasBegun, launchOnce } from './launch.js';
import { readLogEnd, readSpec } from './records.js';

/** The pull request of a run, told that its work begins, or handed the work (engine.md, Stages). */

/** How the forge was told, or why it was not, or not all of it. */
export type RequestEnding =
  | { kind: 'commented' }
  | { kind: 'handed in'; branch: string }
  /** `why`: in git's words. */
  | { kind: 'not pushed'; why: string }
  | { kind: 'not ready'; why: string }
  /** Todos whose commit is not made yet. */
  | { kind: 'waiting'; todos: readonly string[] }
  | { kind: 'moved'; branch: string }
  | StepFailure;

/** What became of a command that could not do its part. `what`: its first words. */
type StepFailure = { kind: 'cut off' | 'vanished'; what: string } | { kind: 'failed'; what: string; how: string };

export interface RequestEnded {
  kind: 'pull-request';
  job: RequestJob;
  ending: RequestEnding;
}

type Step = Pick<JobRequest, 'argv' | 'timeoutSeconds' | 'env'> & {
  name: (typeof REQUEST_STEPS)[number] | 'comment';
  /** Absolute. */
  directory: string;
};

/**
 * Comments on the pull request, or pushes the work, renews the text, and only then marks it ready. Each step is a command of
 * its own that is started once, whoever was cut off in between.
 * @returns null while a step is at work
 * @throws DevCliError `IO`, `INTERRUPTED`, `RUN_UNTRUSTED`; `COMMAND_FAILED` when no runner can be started
 */
export async function awaitRequest(job: RequestJob, call: Call): Promise<RequestEnded | null> {
  const ending = job.stage === 'stateBegin' ? await commentOn(job, call) : await handIn(job, call);
  return ending === null ? null : { kind: 'pull-request', job, ending };
}

async function commentOn(job: RequestJob, call: Call): Promise<RequestEnding | null> {
  const body = `Execution of the plan ${call.run.snapshot.name} has begun.`;
  const step = buildGhStep('comment', getJobDirectory(job, call), [...listSubject(call), '--body', body]);
  const done = await seeThrough(job, call, step);
  return done === 'done' ? { kind: 'commented' } : done;
}

async function handIn(job: RequestJob, call: Call): Promise<RequestEnding | null> {
  const directory = getJobDirectory(job, call);
  const [push, text, ready] = REQUEST_STEPS;
  const argv = await planPush(call, join(directory, push));
  if (typeof argv === 'string') return { kind: 'not pushed', why: argv };
  const env = buildPushEnvironment(process.env);
  const pushing: Step = { name: push, directory: join(directory, push), argv, timeoutSeconds: PUSH_TIMEOUT, env };
  const pushed = await seeThrough(job, call, pushing);
  if (pushed !== 'done') return pushed;
  const subject = listSubject(call);
  const title = job.title === undefined ? [] : ['--title', job.title];
  const words = [...subject, ...title, '--body-file', join(directory, REQUEST_BODY_FILE)];
  const edited = await seeThrough(job, call, buildGhStep(text, join(directory, text), words));
  if (edited !== 'done') return edited;
  const missing = await findMissingWork(call, parsePushCommand(argv));
  if (missing !== null) return missing;
  const marked = await seeThrough(job, call, buildGhStep(ready, join(directory, ready), subject));
  return marked === 'done' ? { kind: 'handed in', branch: parsePushCommand(argv).branch } : marked;
}

/** How `gh` is told which pull request is meant: without it, the one of the branch checked out. */
function listSubject({ run }: Call): string[] {
  const request = run.snapshot.pullRequest;
  return request === undefined ? [] : [request.url];
}

const GH_WORDS = { comment: 'comment', text: 'edit', ready: 'ready' } as const;

function buildGhStep(name: keyof typeof GH_WORDS, directory: string, words: string[]): Step {
  const argv = ['gh', 'pr', GH_WORDS[name], ...words];
  return { name, directory, argv, timeoutSeconds: GH_TIMEOUT, env: buildForgeEnvironment(process.env) };
}

/**
 * The command that pushes the branch of the request as it stands; one that was asked for before is the one that counts. In
 * words what is in the way of it.
 */
async function planPush({ context, run: { snapshot } }: Call, directory: string): Promise<string[] | string> {
  const asked = readSpec(directory);
  if (typeof asked === 'object') return asked.argv;
  const workTree = getWorkTree(context, snapshot);
  const around = { signal: context.signal };
  return resultOrProblem(async () => {
    const branch = snapshot.pullRequest?.branch ?? (await findCurrentBranch(workTree, around));
    if (branch === null) return 'HEAD is detached';
    const { remote } = snapshot.pullRequest ?? (await findUpstream(workTree, branch, around));
    const standing = await findBranchTip(workTree, branch, around);
    if (standing === null) return `there is no branch ${branch} any more`;
    return standing.missing === 0
      ? buildPushCommand(remote, standing.commit, branch)
      : `${standing.missing} commits of what is checked out are not on the branch ${branch}`;
  });
}

/** Why not all of the work is at the forge: commits that still wait, or that came after the push. */
async function findMissingWork(
  { context, run: { snapshot } }: Call,
  { branch, commit }: ReturnType<typeof parsePushCommand>,
): Promise<RequestEnding | null> {
  const todos = snapshot.engine?.deferred ?? [];
  if (todos.length > 0) return { kind: 'waiting', todos };
  const around = { signal: context.signal };
  const standing = await resultOrProblem(() => findBranchTip(getWorkTree(context, snapshot), branch, around));
  if (typeof standing === 'string') return { kind: 'not ready', why: standing };
  return standing?.commit === commit ? null : { kind: 'moved', branch };
}

/** What came of a step; null while it is at work. */
async function seeThrough(job: RequestJob, call: Call, step: Step): Promise<'done' | StepFailure | null> {
  const { name, ...command } = step;
  const { argv, directory } = command;
  const what = argv.slice(0, argv[0] === 'gh' ? 3 : 2).join(' ');
  if (!hasBegun(directory)) {
    await call.requirePlace();
    const key = `${job.key}:${name}`;
    const cwd = getWorkTree(call.context, job);
    const begun = await launchOnce(job, call, { ...command, key, shell: false, cwd }, call.launched && isFirst(name));
    if (begun === 'wait') return null;
    if (begun === 'vanished') return { kind: 'vanished', what };
  }
  const ending = await awaitProcess(directory, call);
  if (ending === null) return null;
  if (ending.kind === 'interrupted') return { kind: 'cut off', what };
  const { exit, error, timedOut } = ending.exit;
  if (exit === 0 && !timedOut) return 'done';
  const how = timedOut ? `no answer in ${step.timeoutSeconds} seconds` : (error ?? `exit ${exit}`);
  return { kind: 'failed', what, how: `${how} ${readLogEnd(directory)}` };
}

/**
 * Whether the job launches this step as soon as it is at work. The later ones have no records before the ones ahead of them
 * have ended; they may be done again at any time, since they set what they say.
 */
function isFirst(name: Step['name']): boolean {
  return name === 'comment' || name === 'push';
}
