import { join } from 'node:path';
import { omitUndefined } from '../base/defined.js';
import { renderCount } from '../base/words.js';
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
import { getWorkTree, REQUEST_BODY_FILE, type REQUEST_STEPS, type RequestJob } from './job.js';
import { awaitProcess, getJobDirectory, hasBegun, type JobCall, launchOnce } from './launch.js';
import { readLogEnd, readSpec } from './records.js';

/**
 * Updates a run's pull request: comments when the work begins, and hands the work in at the end (engine.md, Stages).
 */

/** How a pull request job ended. */
export type RequestEnding =
  | { kind: 'commented' }
  /** `unsaid`: why the issue got no comment. */
  | { kind: 'handed in'; branch: string; issue?: string; unsaid?: string }
  /** `why`: git's message. */
  | { kind: 'not pushed'; why: string }
  | { kind: 'not ready'; why: string }
  /** The commits of these todos have not been made yet. */
  | { kind: 'waiting'; todos: readonly string[] }
  /** The branch has new commits since it was pushed. */
  | { kind: 'moved'; branch: string }
  | StepFailure;

/** Why a step's command failed. `what`: the first words of the command. */
type StepFailure = { kind: 'cut off' | 'vanished'; what: string } | { kind: 'failed'; what: string; how: string };

/** A pull request job that has ended. */
export interface RequestEnded {
  kind: 'pull-request';
  job: RequestJob;
  ending: RequestEnding;
}

type Step = Pick<JobRequest, 'argv' | 'timeoutSeconds' | 'env'> & { name: (typeof REQUEST_STEPS)[number] | 'comment' };

/**
 * Adds a comment to the pull request or, at the end, pushes the work, updates the pull request's text, marks it ready
 * and comments on the issue. Each step is a separate command that starts only once, even if calls are interrupted.
 * @returns null while a step is running
 * @throws DevCliError `IO`, `INTERRUPTED`, `RUN_UNTRUSTED`; `COMMAND_FAILED` when no runner can be started
 */
export async function awaitRequest(job: RequestJob, call: JobCall): Promise<RequestEnded | null> {
  const ending = job.stage === 'stateBegin' ? await commentOn(job, call) : await handIn(job, call);
  return ending === null ? null : { kind: 'pull-request', job, ending };
}

async function commentOn(job: RequestJob, call: JobCall): Promise<RequestEnding | null> {
  const body = `Execution of the plan ${call.run.snapshot.name} has begun.`;
  const done = await awaitStep(job, call, buildGhStep('comment', [...listSubject(call), '--body', body]));
  return done === 'done' ? { kind: 'commented' } : done;
}

async function handIn(job: RequestJob, call: JobCall): Promise<RequestEnding | null> {
  const directory = getJobDirectory(job, call);
  const argv = await planPush(call, join(directory, 'push'));
  if (typeof argv === 'string') return { kind: 'not pushed', why: argv };
  const env = buildPushEnvironment(process.env);
  const pushed = await awaitStep(job, call, { name: 'push', argv, timeoutSeconds: PUSH_TIMEOUT, env });
  if (pushed !== 'done') return pushed;
  const subject = listSubject(call);
  const title = job.title === undefined ? [] : ['--title', job.title];
  const words = [...subject, ...title, '--body-file', join(directory, REQUEST_BODY_FILE)];
  const edited = await awaitStep(job, call, buildGhStep('text', words));
  if (edited !== 'done') return edited;
  const push = parsePushCommand(argv);
  const missing = await findMissingWork(call, push);
  if (missing !== null) return missing;
  const marked = await awaitStep(job, call, buildGhStep('ready', subject));
  return marked === 'done' ? commentOnIssue(job, call, push.branch) : marked;
}

/**
 * Comments on the issue that the goal came from, with a link to the work. If that fails, the work still counts as
 * handed in.
 */
async function commentOnIssue(job: RequestJob, call: JobCall, branch: string): Promise<RequestEnding | null> {
  const { issue } = job;
  if (issue === undefined) return { kind: 'handed in', branch };
  const body = `Ready for review: ${listSubject(call).join()}${job.title === undefined ? '' : ` (${job.title})`}`;
  const done = await awaitStep(job, call, buildGhStep('issue', [issue, '--body', body]));
  if (done === null) return null;
  return {
    kind: 'handed in',
    branch,
    issue,
    ...(done === 'done' ? {} : { unsaid: `${done.what}: ${describeStep(done)}` }),
  };
}

function describeStep(failure: StepFailure): string {
  return failure.kind === 'failed' ? failure.how : failure.kind;
}

/** Returns the argument that names the pull request for `gh`; without one, `gh` uses the current branch's. */
function listSubject({ run }: JobCall): string[] {
  const request = run.snapshot.pullRequest;
  return request === undefined ? [] : [request.url];
}

const GH_WORDS = {
  comment: ['pr', 'comment'],
  text: ['pr', 'edit'],
  ready: ['pr', 'ready'],
  issue: ['issue', 'comment'],
} as const;

function buildGhStep(name: keyof typeof GH_WORDS, words: string[]): Step {
  const argv = ['gh', ...GH_WORDS[name], ...words];
  return { name, argv, timeoutSeconds: GH_TIMEOUT, env: buildForgeEnvironment(process.env) };
}

/**
 * Returns the command that pushes the pull request's branch; if a push is already recorded, returns that command.
 * @returns the command, or a sentence that says what prevents the push
 */
async function planPush(
  { context, run: { snapshot } }: JobCall,
  directory: string,
): Promise<readonly string[] | string> {
  const asked = readSpec(directory);
  if (typeof asked === 'object') return asked.argv;
  const workTree = getWorkTree(context, snapshot);
  const options = { signal: context.signal };
  return resultOrProblem(async () => {
    const branch = snapshot.pullRequest?.branch ?? (await findCurrentBranch(workTree, options));
    if (branch === null) return 'HEAD is detached';
    const { remote } = snapshot.pullRequest ?? (await findUpstream(workTree, branch, options));
    const standing = await findBranchTip(workTree, branch, options);
    if (standing === null) return `the branch ${branch} no longer exists`;
    return standing.missing === 0
      ? buildPushCommand(remote, standing.commit, branch)
      : `${renderCount(standing.missing, 'commit')} in the checkout ${standing.missing === 1 ? 'is' : 'are'} not on the branch ${branch}`;
  });
}

/** Finds work that has not reached the forge: deferred commits, or commits made after the push. */
async function findMissingWork(
  { context, run: { snapshot } }: JobCall,
  { branch, commit }: ReturnType<typeof parsePushCommand>,
): Promise<RequestEnding | null> {
  const todos = snapshot.engine?.deferred ?? [];
  if (todos.length > 0) return { kind: 'waiting', todos };
  const options = { signal: context.signal };
  const standing = await resultOrProblem(() => findBranchTip(getWorkTree(context, snapshot), branch, options));
  if (typeof standing === 'string') return { kind: 'not ready', why: standing };
  return standing?.commit === commit ? null : { kind: 'moved', branch };
}

/** Runs a step, or waits for it; null while it is running. */
async function awaitStep(job: RequestJob, call: JobCall, step: Step): Promise<'done' | StepFailure | null> {
  const { name, argv } = step;
  const directory = join(getJobDirectory(job, call), name === 'comment' ? '' : name);
  const what = argv.slice(0, argv[0] === 'gh' ? 3 : 2).join(' ');
  if (!hasBegun(directory)) {
    await call.requirePlace();
    const { timeoutSeconds, env } = step;
    const key = `${job.key}:${name}`;
    const command = { directory, key, argv, shell: false, cwd: getWorkTree(call.context, job), timeoutSeconds };
    // Only the first step was launched by the call that recorded the job's start, so only for that step does an empty
    // directory mean that records were lost. A later step may simply not have been launched yet.
    const launched = call.launched && (name === 'comment' || name === 'push');
    const begun = await launchOnce(job, call, { ...command, ...omitUndefined({ env }) }, launched);
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
