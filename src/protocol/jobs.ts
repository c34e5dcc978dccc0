import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { foreignLine, wholeLine } from '../documents/foreign.js';
import { advanceEngine } from '../effects/advance.js';
import { type CommitResult, commitDone, commitMessage, deferredDone } from '../effects/engine/commit-job.js';
import { pullRequestDone } from '../effects/engine/jobs.js';
import type { EngineJob, RunEngine } from '../run/engine.js';
import type { RunState } from '../run/state.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import { withIoErrors } from '../store/io.js';
import {
  announceNew,
  type CommitPlan,
  type CommitScope,
  commitCommand,
  commitEnvironment,
  commitFiles,
  findCommit,
  GIT_CANNOT,
  headOf,
  isEmptyCommit,
  isHindrance,
  type LeftPath,
  planCommit,
  settleIndex,
  withdrawNew,
} from '../work/commit.js';
import { inspect, launch } from '../work/external.js';
import { directoryOf, endingIn, type Settled, workTreeOf } from './command-ending.js';
import type { Context } from './context.js';
import { toldBy } from './envelope.js';
import { lastWordsOf } from './job-commands.js';
import { tellPullRequest } from './pull-request-job.js';
import { transactTurn } from './turns.js';

/** Seconds that a commit may take with its hooks. */
const COMMIT_TIMEOUT = 900;
const MESSAGE = 'message.txt';
const PATHS = 'paths';
const LEFT = 'left.json';

type CommitJob = Extract<EngineJob, { kind: 'commit' }>;

/**
 * Does the engine's job that is no command, within the time the call has, and commits what came of it. Every part may be
 * cut off and done again: a commit is looked for before it is made (engine.md, commit; storage.md, A commit).
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; what a transaction throws
 */
export async function settleJob(context: Context, snapshot: RunState, until: number): Promise<Settled> {
  const job = snapshot.engine?.job ?? null;
  const action = snapshot.pendingAction?.action;
  if (job === null || action?.action !== 'running') return 'nothing';
  const directory = directoryOf(context, snapshot.name, { directory: `actions/${action.actionId}` });
  switch (job.kind) {
    case 'commands':
      return 'nothing';
    case 'commit': {
      const result = await commit(context, snapshot, job, directory, until);
      if (result === null) return 'at work';
      return committed(context, snapshot.name, action.actionId, result);
    }
    case 'pull-request': {
      const result = await tellPullRequest(context, snapshot, job.stage, directory, until);
      if (result === null) return 'at work';
      const told = await transactTurn(context, snapshot.name, (turn) => {
        if (!isPending(turn.state, action.actionId)) return null;
        advanceEngine(turn, [pullRequestDone(turn, result)]);
        return toldBy(turn);
      });
      return told ?? 'settled by another call';
    }
  }
}

async function committed(context: Context, name: string, actionId: string, result: CommitResult): Promise<Settled> {
  const told = await transactTurn(context, name, (turn) => {
    if (!isPending(turn.state, actionId)) return null;
    const todo = turn.state.engine?.job?.todo ?? null;
    const event = commitDone(turn, result);
    if (['deferred', 'refused', 'impossible'].includes(result.outcome)) {
      const summary = foreignLine(`${result.outcome}: ${result.reason ?? ''}`, 300);
      turn.ran.push({ block: `${todo ?? 'residual'}/commit`, ok: false, summary });
    }
    advanceEngine(turn, [event]);
    return toldBy(turn);
  });
  return told ?? 'settled by another call';
}

function isPending({ pendingAction }: RunState, actionId: string): boolean {
  return pendingAction?.action.action === 'running' && pendingAction.action.actionId === actionId;
}

async function commit(
  context: Context,
  snapshot: RunState,
  job: CommitJob,
  directory: string,
  until: number,
): Promise<CommitResult | null> {
  const around = { signal: context.signal };
  const workTree = workTreeOf(context, snapshot);
  const scope = scopeOf(snapshot, job);
  if (scope === null) return { outcome: 'no-repository', commit: null, paths: [], left: [] };
  const messageFile = join(directory, MESSAGE);
  const pathsFile = join(directory, PATHS);
  if (!hasBegun(directory)) {
    const plan = await planCommit(workTree, scope, around);
    if (plan.kind === 'ready') {
      prepare(directory, job, plan);
      const failure = await announced(context, workTree, plan.paths);
      if (failure !== null && !hasBegun(directory)) {
        return { ...withoutCommit(failure), paths: plan.paths, left: plan.left };
      }
      launch({
        directory,
        key: job.key,
        argv: commitCommand(messageFile, pathsFile),
        shell: false,
        cwd: workTree,
        timeoutSeconds: COMMIT_TIMEOUT,
        runner: context.runner,
        env: commitEnvironment(process.env),
      });
    } else if (!hasBegun(directory)) {
      // Otherwise what was seen may be the doing of another call's commit.
      return withoutCommand(plan);
    }
  }
  const ending = await endingIn(context, directory, until);
  if (ending === null) return null;
  const { paths, left } = prepared(directory);
  const succeeded = ending.kind === 'exit' && ending.exit.exit === 0;
  const sha =
    (await findCommit(workTree, scope.key, scope.since.head, around)) ??
    // A hook has taken our line out of the message.
    (succeeded ? await headOf(workTree, around) : null);
  if (sha !== null) {
    await settleIndex(workTree, sha, scope.before, around).catch(ignoreGit);
    return { outcome: 'made', commit: sha, paths, left };
  }
  const nothing = ending.kind === 'exit' && ending.exit.exit === 1 && !isHindrance(lastWordsOf(directory));
  const empty = nothing && (await isEmptyCommit(workTree, messageFile, pathsFile, around));
  await withdrawNew(workTree, paths, around).catch(ignoreGit);
  if (empty) return { outcome: 'nothing', commit: null, paths: [], left };
  if (ending.kind === 'interrupted') {
    return { outcome: 'deferred', commit: null, paths, left, reason: 'git was cut off' };
  }
  const { exit } = ending.exit;
  return { ...withoutCommit({ said: lastWordsOf(directory), exit }), paths, left };
}

/** Takes back what a commit that was given up has done to the index. A commit that was made all the same stays. */
export async function takeBack(context: Context, workTree: string, directory: string): Promise<void> {
  if (inspect(directory).state === 'absent' || !existsSync(join(directory, PATHS))) return;
  await withdrawNew(workTree, prepared(directory).paths, { signal: context.signal }).catch(ignoreGit);
}

/** Whether a runner has begun: from then on only its ending counts. */
function hasBegun(directory: string): boolean {
  const { state } = inspect(directory);
  return state !== 'absent' && state !== 'launching';
}

/** Makes new files known to git; what git said when it could not. */
async function announced(
  context: Context,
  workTree: string,
  paths: readonly string[],
): Promise<{ said: string; exit: number } | null> {
  try {
    await announceNew(workTree, paths, { signal: context.signal });
    return null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return { said: error.details.map(({ problem }) => problem).join(' '), exit: 1 };
  }
}

/** What git's refusal means: it could not just now, it cannot at all, or it does not want this commit. */
function withoutCommit({ said, exit }: { said: string; exit: number | null }): Omit<CommitResult, 'paths' | 'left'> {
  const reason = wholeLine(said === '' ? `git commit ended with ${exit}` : said);
  if (isHindrance(said)) return { outcome: 'deferred', commit: null, reason };
  return { outcome: exit === GIT_CANNOT ? 'impossible' : 'refused', commit: null, reason };
}

/** Mending the index is a courtesy: the commit stands, or is refused, all the same. */
function ignoreGit(error: unknown): void {
  if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
}

/**
 * Makes the commits that had to wait, as far as they can be made now. To be called while no agent is at work on the sources.
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`; what a transaction throws
 */
export async function retryDeferred(context: Context, snapshot: RunState, until: number): Promise<void> {
  const action = snapshot.pendingAction?.action;
  if (action === undefined || action.action === 'done') return;
  for (const todo of snapshot.engine?.deferred ?? []) {
    if (!Object.hasOwn(snapshot.engine?.todos ?? {}, todo)) continue;
    const job = {
      kind: 'commit' as const,
      todo,
      stage: 'commit',
      key: `${snapshot.runId}/${todo}`,
      message: await transactTurn(context, snapshot.name, (turn) => commitMessage(turn, todo)),
      startedAt: snapshot.updatedAt,
    };
    const directory = directoryOf(context, snapshot.name, { directory: `actions/${action.actionId}/${todo}` });
    const result = await commit(context, snapshot, job, directory, until);
    const sha = result?.commit ?? null;
    if (result === null || sha === null) continue;
    await transactTurn(context, snapshot.name, (turn) => {
      if (turn.state.engine?.deferred.includes(todo)) deferredDone(turn, todo, sha, result.paths);
    });
  }
}

/** What a todo's commit may hold; null where the run began without a repository. */
function scopeOf({ baseline, engine }: RunState, { key, todo }: CommitJob): CommitScope | null {
  if (baseline === null || engine === null) return null;
  if (todo !== null) {
    const files = engine.todos[todo]?.files ?? [];
    const since = engine.baselines[todo] ?? baseline;
    return {
      key,
      since,
      before: baseline,
      files: files.length === 0 ? null : files,
      charged: engine.charged[todo] ?? [],
    };
  }
  return { key, since: baseline, before: baseline, files: filesOfDone(engine), charged: [] };
}

/** Globs of all that done todos may have touched; null when one of them named none. */
function filesOfDone({ todos }: RunEngine): string[] | null {
  const done = Object.values(todos).filter(
    ({ status, type, attempt }) => status === 'done' && type === 'work' && attempt > 0,
  );
  return done.some(({ files }) => files.length === 0) ? null : [...new Set(done.flatMap(({ files }) => files))];
}

function withoutCommand(plan: Exclude<CommitPlan, { kind: 'ready' }>): CommitResult {
  switch (plan.kind) {
    case 'found':
      return { outcome: 'found', commit: plan.sha, paths: [], left: [] };
    case 'nothing':
      return {
        outcome: plan.why === 'no repository' ? 'no-repository' : 'nothing',
        commit: null,
        paths: [],
        left: plan.left,
      };
    case 'later':
      return { outcome: 'deferred', commit: null, paths: [], left: plan.left, reason: plan.why };
  }
}

function prepare(
  directory: string,
  { message, key }: CommitJob,
  { paths, left }: Extract<CommitPlan, { kind: 'ready' }>,
): void {
  ensureDirectory(directory);
  const files = commitFiles(message, key, paths);
  writeDurably(join(directory, MESSAGE), files.message);
  writeDurably(join(directory, PATHS), files.paths);
  writeDurably(join(directory, LEFT), JSON.stringify(left));
}

function prepared(directory: string): { paths: string[]; left: LeftPath[] } {
  const text = (name: string) => {
    const path = join(directory, name);
    return withIoErrors(path, null, () => readFileSync(path, 'utf8'));
  };
  const paths = text(PATHS).split('\0');
  return { paths: paths.filter((path) => path !== ''), left: JSON.parse(text(LEFT)) as LeftPath[] };
}
