import { join } from 'node:path';
import { foreignLine } from '../documents/foreign.js';
import { REQUEST_BODY_FILE, REQUEST_STEPS, type RequestResult } from '../engine/act/request-job.js';
import { readSpec } from '../jobs/command.js';
import { inspect, type Launch, launch } from '../jobs/external.js';
import type { Context } from '../run/context.js';
import type { EngineJob } from '../run/engine.js';
import type { RunState } from '../run/state.js';
import {
  currentBranch,
  PUSH_TIMEOUT,
  pushCommand,
  pushEnvironment,
  pushedBy,
  standingOf,
  upstreamOf,
} from '../work/branch.js';
import { forgeEnvironment, GH_TIMEOUT } from '../work/forge.js';
import { gitProblem } from '../work/git-command.js';
import { endingIn, launchAgain, type WaitingForJob, workTreeOf } from './command-ending.js';
import { lastWordsOf } from './job-commands.js';
import { requirePlace } from './trust/place.js';

type RequestJob = Extract<EngineJob, { kind: 'pull-request' }>;
type Step = Pick<Launch, 'argv' | 'timeoutSeconds' | 'env'> & { name: (typeof REQUEST_STEPS)[number] | 'comment' };

/** What came of a step: its words when it failed, null while it is at work. */
type StepEnd = { ok: true } | { ok: false; summary: string } | null;

/**
 * Tells the pull request of the run that its work begins, or hands the work in: pushes it, renews the text, and only then marks
 * it ready. Each step is a command of its own that is started once, whoever was cut off in between. What cannot be told is no
 * reason to fail (engine.md, state-begin and state-complete).
 * @param directory of the action, absolute
 * @returns null while a step is at work
 * @throws DevCliError `IO`, `INTERRUPTED`, `COMMAND_FAILED` when no runner can be started
 */
export async function tellPullRequest(
  context: Context,
  snapshot: RunState,
  job: RequestJob,
  directory: string,
  waiting: WaitingForJob,
): Promise<RequestResult | null> {
  const request = snapshot.pullRequest;
  const subject = request === undefined ? [] : [request.url];
  const run = (step: Step, place: string) => seeThrough(context, snapshot, { step, job, directory: place }, waiting);
  if (job.stage === 'stateBegin') {
    const body = `Execution of the plan ${snapshot.name} has begun.`;
    const comment = await run(ghStep('comment', [...subject, '--body', body]), directory);
    return comment === null ? null : comment.ok ? { ok: true, summary: 'gh pr comment' } : comment;
  }
  const pushed = await push(context, snapshot, run, join(directory, REQUEST_STEPS[0]));
  if (pushed === null || !pushed.ok) return pushed;
  const text = ['--body-file', join(directory, REQUEST_BODY_FILE)];
  const title = job.title === undefined ? [] : ['--title', job.title];
  const edited = await run(ghStep('text', [...subject, ...title, ...text]), join(directory, REQUEST_STEPS[1]));
  if (edited === null || !edited.ok) return edited;
  const missing = await notHandedIn(context, snapshot, pushed);
  if (missing !== null) return { ok: false, summary: missing };
  const ready = await run(ghStep('ready', subject), join(directory, REQUEST_STEPS[2]));
  if (ready === null || !ready.ok) return ready;
  return { ok: true, summary: `pushed ${pushed.branch}, text renewed, marked ready` };
}

const GH_WORDS = { comment: 'comment', text: 'edit', ready: 'ready' } as const;

function ghStep(name: keyof typeof GH_WORDS, words: string[]): Step {
  return {
    name,
    argv: ['gh', 'pr', GH_WORDS[name], ...words],
    timeoutSeconds: GH_TIMEOUT,
    env: forgeEnvironment(process.env),
  };
}

interface Pushed {
  ok: true;
  branch: string;
  commit: string;
}

/** Pushes the branch of the request as it stands; a push that was asked for before is the one that counts. */
async function push(
  context: Context,
  snapshot: RunState,
  run: (step: Step, place: string) => Promise<StepEnd>,
  place: string,
): Promise<Pushed | { ok: false; summary: string } | null> {
  const asked = readSpec(place);
  const argv = typeof asked === 'object' ? asked.argv : await pushArguments(context, snapshot);
  if (typeof argv === 'string') return { ok: false, summary: foreignLine(`not pushed: ${argv}`, 300) };
  const end = await run({ name: 'push', argv, timeoutSeconds: PUSH_TIMEOUT, env: pushEnvironment(process.env) }, place);
  return end === null || !end.ok ? end : { ok: true, ...pushedBy(argv) };
}

/** The command that pushes the branch of the request; in words what is in the way of it. */
async function pushArguments(context: Context, snapshot: RunState): Promise<string[] | string> {
  const workTree = workTreeOf(context, snapshot);
  const around = { signal: context.signal };
  return gitProblem(async () => {
    const branch = snapshot.pullRequest?.branch ?? (await currentBranch(workTree, around));
    if (branch === null) return 'HEAD is detached';
    const { remote } = snapshot.pullRequest ?? (await upstreamOf(workTree, branch, around));
    const standing = await standingOf(workTree, branch, around);
    if (standing === null) return `there is no branch ${branch} any more`;
    return standing.missing === 0
      ? pushCommand(remote, standing.commit, branch)
      : `${standing.missing} commits of what is checked out are not on the branch ${branch}`;
  });
}

/** Why not all of the work is at the forge: commits that still wait, or that came after the push. */
async function notHandedIn(context: Context, snapshot: RunState, { branch, commit }: Pushed): Promise<string | null> {
  const deferred = snapshot.engine?.deferred ?? [];
  if (deferred.length > 0) return `not marked ready: the commit of ${deferred.slice(0, 5).join(', ')} is not made yet`;
  const around = { signal: context.signal };
  const standing = await gitProblem(() => standingOf(workTreeOf(context, snapshot), branch, around));
  if (typeof standing === 'string') return foreignLine(`not marked ready: ${standing}`, 300);
  return standing?.commit === commit ? null : `not marked ready: ${branch} has moved since it was pushed`;
}

interface Place {
  step: Step;
  job: RequestJob;
  directory: string;
}

async function seeThrough(
  context: Context,
  snapshot: RunState,
  { step, job, directory }: Place,
  { until, launched, find }: WaitingForJob,
): Promise<StepEnd> {
  const { name, ...command } = step;
  const what = step.argv.slice(0, step.argv[0] === 'gh' ? 3 : 2).join(' ');
  const { state } = inspect(directory);
  if (state === 'absent' || state === 'launching') {
    await requirePlace(context, snapshot);
    if (launched && state === 'absent' && isFirst(name)) {
      const again = await launchAgain(context, snapshot.name, directory, find);
      if (again === 'wait') return null;
      if (again === 'vanished') return { ok: false, summary: `${what}: its records vanished` };
    }
    launch({
      ...command,
      directory,
      key: `${snapshot.runId}:${job.stage}:${name}`,
      shell: false,
      cwd: workTreeOf(context, snapshot),
      runner: context.runner,
    });
  }
  const ending = await endingIn(context, directory, until);
  if (ending === null) return null;
  if (ending.kind === 'interrupted') return { ok: false, summary: `${what} was cut off` };
  const { exit, error, timedOut } = ending.exit;
  if (exit === 0 && !timedOut) return { ok: true };
  const how = timedOut ? `no answer in ${step.timeoutSeconds} seconds` : (error ?? `exit ${exit}`);
  return { ok: false, summary: foreignLine(`${what}: ${how} ${lastWordsOf(directory)}`, 400) };
}

/**
 * Whether the job launches this step as soon as it is at work. The later ones have no records before the ones ahead of them
 * have ended; they may be done again at any time, since they set what they say.
 */
function isFirst(name: Step['name']): boolean {
  return name === 'comment' || name === 'push';
}
