import { join } from 'node:path';
import { DevCliError } from '../base/errors.js';
import { wholeLine } from '../documents/foreign.js';
import type { CommitResult } from '../engine/act/commit-job.js';
import { listedBy } from '../engine/act/listed.js';
import { readText } from '../jobs/command.js';
import { inspect, launch } from '../jobs/external.js';
import type { Context } from '../run/context.js';
import type { EngineJob, RunEngine } from '../run/engine.js';
import type { RunState } from '../run/state.js';
import { ensureDirectory, writeDurably } from '../store/durable.js';
import {
  type At,
  type CommitPlan,
  commitCommand,
  commitEnvironment,
  commitFiles,
  GIT_CANNOT,
  isEmptyCommit,
  isHindrance,
  isOutsideSparse,
  planCommit,
} from '../work/commit.js';
import type { HeadRule } from '../work/commit-head.js';
import { announceNew, pathsIn, settleIndex, withdrawNew } from '../work/commit-index.js';
import type { LeftPath } from '../work/commit-paths.js';
import type { CommitScope } from '../work/commit-scope.js';
import { commitHolding, findCommit } from '../work/commit-search.js';
import type { Surroundings } from '../work/git-command.js';
import { type Ending, endingIn, launchAgain, type WaitingForJob, workTreeOf } from './command-ending.js';
import { lastWordsOf } from './job-commands.js';
import { requirePlace } from './trust/place.js';

/** One commit of an execution, made outside the transaction by the detached runner (engine.md, commit). */

/** Seconds that a commit may take with its hooks. */
const COMMIT_TIMEOUT = 900;
const MESSAGE = 'message.txt';
const PATHS = 'paths';
const LEFT = 'left.json';
const AT = 'head.json';

export type CommitJob = Extract<EngineJob, { kind: 'commit' }>;

const NO_COMMIT = { commit: null, paths: [], at: null };

/**
 * Makes the commit of a todo, or of all that remains, within the time the call has; null while it is still at work. May be
 * cut off and done again in the same directory: there it is made once.
 * @param directory where the runner has its records; absolute
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`, `RUN_UNTRUSTED`
 */
export async function commit(
  context: Context,
  snapshot: RunState,
  job: CommitJob,
  directory: string,
  waiting: WaitingForJob,
): Promise<CommitResult | null> {
  const around = { signal: context.signal };
  const workTree = workTreeOf(context, snapshot);
  const scope = scopeOf(snapshot, job, workTree);
  if (scope === null) return { outcome: 'no-repository', ...NO_COMMIT, left: [] };
  const messageFile = join(directory, MESSAGE);
  const pathsFile = join(directory, PATHS);
  if (!hasBegun(directory)) {
    const plan = await planCommit(workTree, scope, around);
    if (plan.kind === 'ready') {
      await requirePlace(context, snapshot);
      prepare(directory, job, plan);
      const failure = await announced(context, workTree, plan.paths);
      if (failure !== null && !hasBegun(directory)) {
        return { ...withoutCommit(failure), paths: plan.paths, left: plan.left, at: plan.at };
      }
      const again = waiting.launched ? await onceMore(context, snapshot, directory, plan, waiting) : 'launch';
      if (again !== 'launch') return again;
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
  const ending = await endingIn(context, directory, waiting.until);
  if (ending === null) return null;
  return cameTo(workTree, scope, directory, ending, around);
}

/** What a commit that git was asked for has come to. */
async function cameTo(
  workTree: string,
  scope: CommitScope,
  directory: string,
  ending: Exclude<Ending, { kind: 'reused' }>,
  around: Surroundings,
): Promise<CommitResult> {
  const { paths, left, at } = prepared(directory);
  const succeeded = ending.kind === 'exit' && ending.exit.exit === 0;
  const sha = await madeCommit(workTree, scope, { paths, at, succeeded }, around);
  if (sha !== null || succeeded) {
    if (sha !== null) await settleIndex(workTree, sha, scope.before, around).catch(ignoreGit);
    const held = paths ?? (sha === null ? [] : await pathsIn(workTree, sha, around));
    return { outcome: 'made', commit: sha, paths: held, left, at };
  }
  if (paths === null) {
    return { outcome: 'deferred', ...NO_COMMIT, left, reason: 'the list of what git was to commit vanished' };
  }
  const nothing = ending.kind === 'exit' && ending.exit.exit === 1 && !isHindrance(lastWordsOf(directory));
  const empty = nothing && (await isEmptyCommit(workTree, join(directory, MESSAGE), join(directory, PATHS), around));
  await withdrawNew(workTree, paths, around).catch(ignoreGit);
  if (empty) return { outcome: 'nothing', ...NO_COMMIT, left };
  if (ending.kind === 'interrupted') {
    return { outcome: 'deferred', commit: null, paths, left, at, reason: 'git was cut off' };
  }
  const { exit } = ending.exit;
  return { ...withoutCommit({ said: lastWordsOf(directory), exit }), paths, left, at };
}

/** The commit that was made, by its trailer; where a hook has taken that away, by what it holds. Never one of others. */
async function madeCommit(
  workTree: string,
  { key, since }: CommitScope,
  { paths, at, succeeded }: { paths: string[] | null; at: At | null; succeeded: boolean },
  around: Surroundings,
): Promise<string | null> {
  const sha = await findCommit(workTree, key, since.head, around);
  const isToBeLookedFor = sha === null && succeeded && at !== null && paths !== null;
  return isToBeLookedFor ? commitHolding(workTree, paths, at.head, around) : sha;
}

/** Takes back what a commit that was given up has done to the index. A commit that was made all the same stays. */
export async function takeBack(context: Context, workTree: string, directory: string): Promise<void> {
  const { paths } = prepared(directory);
  if (inspect(directory).state === 'absent' || paths === null) return;
  await withdrawNew(workTree, paths, { signal: context.signal }).catch(ignoreGit);
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
function withoutCommit({
  said,
  exit,
}: {
  said: string;
  exit: number | null;
}): Omit<CommitResult, 'paths' | 'left' | 'at'> {
  const reason = wholeLine(said === '' ? `git commit ended with ${exit}` : said);
  if (isHindrance(said)) return { outcome: 'deferred', commit: null, reason };
  if (isOutsideSparse(said)) {
    const way = 'widen the sparse checkout (`git sparse-checkout add DIRECTORY`), then reopen the todo';
    return { outcome: 'impossible', commit: null, reason: wholeLine(`${way}: ${said}`) };
  }
  return { outcome: exit === GIT_CANNOT ? 'impossible' : 'refused', commit: null, reason };
}

/** Mending the index is a courtesy: the commit stands, or is refused, all the same. */
function ignoreGit(error: unknown): void {
  if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
}

/** What a commit may hold; null where the run began without a repository. */
function scopeOf({ baseline, engine }: RunState, { key, todo }: CommitJob, workTree: string): CommitScope | null {
  if (baseline === null || engine === null) return null;
  const head = headRule(engine, baseline.head);
  if (todo === null) return { key, since: baseline, before: baseline, head, ...remaining(engine, workTree) };
  const files = engine.todos[todo]?.files ?? [];
  const filesChanged = listedBy(engine, todo, workTree);
  return {
    key,
    since: engine.baselines[todo] ?? baseline,
    before: baseline,
    files: files.length === 0 ? null : files,
    charged: engine.charged[todo] ?? [],
    listed: { filesChanged, notMine: engine.notMine?.[todo] ?? [] },
    head,
  };
}

function headRule({ head }: RunEngine, begun: string | null): HeadRule {
  return { last: head?.last ?? (begun === null ? null : { sha: begun }), branch: head?.branch };
}

/** What done todos list, wherever it lies; those whose own commit waits have that. */
function remaining(engine: RunEngine, workTree: string): Pick<CommitScope, 'files' | 'charged'> {
  const { todos, deferred } = engine;
  const done = Object.values(todos).filter(
    ({ id, status, type }) => status === 'done' && type === 'work' && !deferred.includes(id),
  );
  const charged = [...new Set(done.flatMap(({ id }) => listedBy(engine, id, workTree)))];
  return { files: charged.includes('.') ? null : [], charged };
}

function withoutCommand(plan: Exclude<CommitPlan, { kind: 'ready' }>): CommitResult {
  switch (plan.kind) {
    case 'found':
      return { outcome: 'found', commit: plan.sha, paths: [], left: [], at: null };
    case 'nothing': {
      const outcome = plan.why === 'no repository' ? 'no-repository' : 'nothing';
      return { outcome, ...NO_COMMIT, left: plan.left };
    }
    case 'later':
      return { outcome: 'deferred', ...NO_COMMIT, left: plan.left, reason: plan.why, head: plan.head };
  }
}

function prepare(
  directory: string,
  { message, key }: CommitJob,
  { paths, left, at }: Extract<CommitPlan, { kind: 'ready' }>,
): void {
  ensureDirectory(directory);
  const files = commitFiles(message, key, paths);
  writeDurably(join(directory, MESSAGE), files.message);
  writeDurably(join(directory, PATHS), files.paths);
  writeDurably(join(directory, LEFT), JSON.stringify(left));
  writeDurably(join(directory, AT), JSON.stringify(at));
}

/** What was prepared, as far as it is still there; by an earlier release without where HEAD was. `paths` null: gone, or cut short. */
function prepared(directory: string): { paths: string[] | null; left: LeftPath[]; at: At | null } {
  const paths = readText(join(directory, PATHS));
  return {
    paths: paths?.endsWith('\0') ? paths.slice(0, -1).split('\0') : null,
    left: parsed<LeftPath[]>(readText(join(directory, LEFT))) ?? [],
    at: parsed<At>(readText(join(directory, AT))),
  };
}

/** Null for what is gone or cut short. */
function parsed<T>(text: string | null): T | null {
  try {
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Whether git may be asked once more for a commit that an earlier call has asked for; null when another call does so. */
async function onceMore(
  context: Context,
  snapshot: RunState,
  directory: string,
  { paths, left, at }: Extract<CommitPlan, { kind: 'ready' }>,
  { find }: WaitingForJob,
): Promise<'launch' | CommitResult | null> {
  if (inspect(directory).state !== 'absent') return 'launch';
  const again = await launchAgain(context, snapshot.name, directory, find);
  if (again === 'wait') return null;
  if (again === 'launch') return 'launch';
  await withdrawNew(workTreeOf(context, snapshot), paths, { signal: context.signal }).catch(ignoreGit);
  return { outcome: 'deferred', commit: null, paths, left, at, reason: 'what git was asked for vanished twice' };
}
