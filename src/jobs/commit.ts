import { writeFileSync } from 'node:fs';
import { DevCliError } from '../base/errors.js';
import type { RunState } from '../run/state.js';
import { claimPath, findClaimObstacle, findClaimOwner } from '../store/claim.js';
import { clearEmptyDirectories } from '../store/documents.js';
import {
  buildCommitEnvironment,
  type CommitAnswer,
  type CommitPlan,
  canYieldCommit,
  GIT_FATAL_EXIT,
  type HeadPosition,
  isEmptyCommit,
  isOutsideSparse,
  isPlainlyEmpty,
  isTemporaryGitFailure,
  makeCommit,
  planCommit,
} from '../work/commit.js';
import { announceNew, listCommitPaths, syncIndex, withdrawNew } from '../work/commit-index.js';
import type { CommitScope, LeftPath } from '../work/commit-paths.js';
import { findCommit, findCommitByPaths, readSubject } from '../work/commit-search.js';
import { type GitOptions, nullIfRefused } from '../work/git-command.js';
import { waitUntil } from '../work/processes.js';
import {
  buildPreparedCommand,
  clearPreparation,
  readPreparation,
  writeCommitPaths,
  writePreparation,
} from './commit-preparation.js';
import { buildScope } from './commit-scope.js';
import { type CommitJob, getWorkTree } from './job.js';
import { awaitProcess, getJobDirectory, hasBegun, type JobCall, launchOnce } from './launch.js';
import { getClaimFile, getLogFile, isClosed, LAST_WORDS, readLogEnd } from './records.js';

/**
 * Makes the commit of a todo, or the residual commit, unless it already exists, which is checked first (engine.md,
 * Commits).
 */

/** The result of a commit job. */
export interface CommitEnding {
  /** `impossible`: git cannot commit anything at all. */
  outcome: 'made' | 'found' | 'nothing' | 'deferred' | 'refused' | 'impossible' | 'no-repository';
  /** The sha. Also null for a commit that was made but cannot be identified, because a hook removed its trailer. */
  commit: string | null;
  /** The first line of the commit's message; set if it may differ from the requested one. */
  subject?: string;
  /** The paths that the commit contains, or should have contained. */
  paths: string[];
  left: LeftPath[];
  /** Why the commit was not made, in git's words. */
  reason?: string;
  /** Where HEAD was; null if it was not read. */
  at: HeadPosition | null;
  /** Whether the commit was deferred because HEAD is not where the run left it, which a person may accept. */
  head?: boolean;
}

export interface CommitEnded {
  kind: 'commit';
  job: CommitJob;
  ending: CommitEnding;
}

/** Seconds that a commit may take, including its hooks. */
const COMMIT_TIMEOUT = 900;
const NO_COMMIT = { commit: null, paths: [], at: null };
const NO_REPOSITORY: CommitEnding = { outcome: 'no-repository', ...NO_COMMIT, left: [] };

/**
 * Waits for a commit for as long as the call has time; starts it if it has not begun. An interrupted call may be
 * repeated, since the commit is made only once.
 * @returns null while it is running
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`, `RUN_UNTRUSTED`
 */
export async function awaitCommit(job: CommitJob, call: JobCall): Promise<CommitEnded | null> {
  const ending = await findCommitEnding(job, call);
  return ending === null ? null : { kind: 'commit', job, ending };
}

/**
 * Returns the result of a commit at once if there is nothing to commit. Does not read the work tree again, but relies
 * on the call's last reading.
 * @param state the run as it is now
 * @returns null if the commit has to be awaited
 */
export function findEmptyCommit(
  job: CommitJob,
  state: RunState,
  { context, repositories }: JobCall,
): CommitEnded | null {
  const workTree = getWorkTree(context, job);
  const scope = buildScope(state, job, workTree);
  const tree = repositories.getTree(workTree);
  if (tree === undefined) return null;
  if (scope === null || tree === null) return { kind: 'commit', job, ending: NO_REPOSITORY };
  if (!isPlainlyEmpty(tree.present, scope)) return null;
  return { kind: 'commit', job, ending: { outcome: 'nothing', ...NO_COMMIT, left: [] } };
}

async function findCommitEnding(job: CommitJob, call: JobCall): Promise<CommitEnding | null> {
  const { repositories } = call;
  const options = { signal: call.context.signal };
  const workTree = getWorkTree(call.context, job);
  const scope = buildScope(call.run.snapshot, job, workTree);
  if (scope === null) return NO_REPOSITORY;
  const directory = getJobDirectory(job, call);
  if (!hasBegun(directory)) {
    const readSetting = () => repositories.readSetting(workTree);
    // Starts reading the setting, in parallel with the work tree. An error can be ignored here: if `planCommit` needs
    // the setting, it awaits the same promise and meets the error itself.
    if (canYieldCommit(scope)) readSetting().catch(() => {});
    const now = await repositories.readTree(workTree);
    if (now === null) return NO_REPOSITORY;
    const plan = await planCommit(workTree, now.present, readSetting, scope, options);
    // If another call has begun the job meanwhile, the plan may be based on a tree that this other commit has changed.
    if (plan.kind !== 'ready' && !hasBegun(directory)) return endWithoutCommand(workTree, plan, options);
    repositories.forgetTrees();
    const begun = plan.kind === 'ready' ? await beginCommit(job, call, scope, plan) : 'launched';
    if (begun === 'wait') return (await isClaimFreed(directory, call)) ? findCommitEnding(job, call) : null;
    if (begun !== 'launched') return begun;
  }
  repositories.forgetTrees();
  const ended = await awaitProcess(directory, call);
  if (ended === null) return null;
  const said = { exit: ended.kind === 'exit' ? ended.exit.exit : 'cut off', output: readLogEnd(directory) } as const;
  return judgeEnding(workTree, scope, { ...readPreparation(directory), ...said, sha: null }, options);
}

type ReadyPlan = Extract<CommitPlan, { kind: 'ready' }>;

/** Starts the planned commit. Returns an ending if the commit is made within the call or cannot begin. */
async function beginCommit(
  job: CommitJob,
  call: JobCall,
  scope: CommitScope,
  plan: ReadyPlan,
): Promise<'launched' | 'wait' | CommitEnding> {
  const { paths, left, at } = plan;
  const directory = getJobDirectory(job, call);
  const workTree = getWorkTree(call.context, job);
  const options = { signal: call.context.signal };
  await call.requirePlace();
  if (plan.alone) return commitWithinCall(job, call, scope, plan);
  writePreparation(directory, job, plan);
  const refusal = await announcePaths(workTree, paths, options);
  if (refusal !== null && !hasBegun(directory)) return { ...classifyRefusal(refusal, 1), paths, left, at };
  const begun = await launchOnce(job, call, {
    directory,
    key: job.key,
    argv: buildPreparedCommand(directory),
    shell: false,
    cwd: workTree,
    timeoutSeconds: COMMIT_TIMEOUT,
    env: buildCommitEnvironment(process.env),
  });
  if (begun !== 'vanished') return begun;
  await nullIfRefused(withdrawNew(workTree, paths, options));
  return {
    outcome: 'deferred',
    commit: null,
    paths,
    left,
    at,
    reason: 'the records of the git commit disappeared twice',
  };
}

/** Milliseconds between two checks of a claim. */
const CLAIM_POLL_MS = 20;
/** Seconds that git may take for a commit without hooks and signature. */
const ALONE_TIMEOUT = 60;

/**
 * Makes a commit within the call. Without hooks git is quick, so no process has to outlive the call. If the call is
 * interrupted, the next one finds the commit by its trailer, or makes it. The job's claim keeps two calls from making
 * the commit at once.
 */
async function commitWithinCall(
  job: CommitJob,
  call: JobCall,
  scope: CommitScope,
  { paths, left, at }: ReadyPlan,
): Promise<'wait' | CommitEnding> {
  const { clock, ids, signal } = call.context;
  const directory = getJobDirectory(job, call);
  const workTree = getWorkTree(call.context, job);
  const blocked = findClaimObstacle(getClaimFile(directory));
  if (blocked !== null) throw blocked;
  const mine = claimPath(getClaimFile(directory), { clock, ids, purpose: 'a commit', make: true });
  if (mine === null) return 'wait';
  try {
    if (isClosed(directory)) return 'wait';
    writeCommitPaths(directory, paths);
    const refusal = await announcePaths(workTree, paths, { signal });
    if (refusal !== null) return { ...classifyRefusal(refusal, 1), paths, left, at };
    const said = await makeCommit(
      workTree,
      { message: job.message, key: scope.key, paths, last: job.todo === null },
      ALONE_TIMEOUT,
    );
    const ending = await judgeEnding(workTree, scope, { paths, left, at, ...said }, { signal });
    if (ending.outcome !== 'made') writeFileSync(getLogFile(directory), said.output.slice(-LAST_WORDS));
    return ending;
  } finally {
    // A runner that has begun still needs the prepared files.
    if (!isClosed(directory)) clearPreparation(directory);
    mine.release();
    clearEmptyDirectories([directory]);
  }
}

/** Waits, for as long as the call has time, until another call has released the commit's claim. */
function isClaimFreed(directory: string, { context, until }: JobCall): Promise<boolean> {
  const left = Math.max(0, until - context.clock.now());
  return waitUntil(() => findClaimOwner(getClaimFile(directory)) === null, left, CLAIM_POLL_MS);
}

/** The paths that git was asked to commit, and its answer. */
interface Asked extends Omit<CommitAnswer, 'exit'> {
  /** Null if the list was lost. */
  paths: string[] | null;
  left: LeftPath[];
  at: HeadPosition | null;
  exit: number | null | 'cut off';
}

/**
 * Determines the result of a commit that git was asked to make, and updates the index accordingly. If git refuses the
 * update, that does not change the result.
 */
async function judgeEnding(
  workTree: string,
  scope: CommitScope,
  { paths, left, at, exit, output, sha: told }: Asked,
  options: GitOptions,
): Promise<CommitEnding> {
  const succeeded = exit === 0;
  if (succeeded && told !== null && paths !== null) return { outcome: 'made', commit: told, paths, left, at };
  let sha = await findCommit(workTree, scope.key, scope.since.head, options);
  // A hook may have removed the trailer. The commit is then found by its paths, if exactly one commit contains them.
  if (sha === null && succeeded && at !== null && paths !== null) {
    sha = await findCommitByPaths(workTree, paths, at.head, options);
  }
  if (sha !== null || succeeded) {
    if (sha !== null) await nullIfRefused(syncIndex(workTree, sha, scope.before, options));
    const held = paths ?? (sha === null ? [] : await listCommitPaths(workTree, sha, options));
    return { outcome: 'made', commit: sha, ...(await readSubject(workTree, sha, options)), paths: held, left, at };
  }
  if (paths === null) {
    return { outcome: 'deferred', ...NO_COMMIT, left, reason: 'the list of files to commit disappeared' };
  }
  const empty = exit === 1 && !isTemporaryGitFailure(output) && (await isEmptyCommit(workTree, paths, options));
  await nullIfRefused(withdrawNew(workTree, paths, options));
  if (empty) return { outcome: 'nothing', ...NO_COMMIT, left };
  if (exit === 'cut off') return { outcome: 'deferred', commit: null, paths, left, at, reason: 'git was cut off' };
  return { ...classifyRefusal(output.slice(-LAST_WORDS).trim(), exit), paths, left, at };
}

/**
 * Undoes a withdrawn commit's changes to the index. If git has already made the commit, the commit remains.
 * @param directory absolute path of the job's records
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function withdrawCommit(workTree: string, directory: string, options: GitOptions): Promise<void> {
  const { paths } = readPreparation(directory);
  if (paths !== null) await nullIfRefused(withdrawNew(workTree, paths, options));
}

/** Announces new files to git. Returns git's message if it refused, else null. */
async function announcePaths(workTree: string, paths: readonly string[], options: GitOptions): Promise<string | null> {
  try {
    await announceNew(workTree, paths, options);
    return null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return error.details.map(({ problem }) => problem).join(' ');
  }
}

/** Classifies git's refusal: it cannot commit now, cannot commit at all, or refuses this commit. */
function classifyRefusal(
  said: string,
  exit: number | null,
): Pick<CommitEnding, 'outcome' | 'reason'> & { commit: null } {
  const reason = said === '' ? `git commit ended with ${exit}` : said;
  if (isTemporaryGitFailure(said)) return { outcome: 'deferred', commit: null, reason };
  if (isOutsideSparse(said)) {
    const way = 'widen the sparse checkout (`git sparse-checkout add DIRECTORY`), then reopen the todo';
    return { outcome: 'impossible', commit: null, reason: `${way}: ${said}` };
  }
  return { outcome: exit === GIT_FATAL_EXIT ? 'impossible' : 'refused', commit: null, reason };
}

async function endWithoutCommand(
  workTree: string,
  plan: Exclude<CommitPlan, { kind: 'ready' }>,
  options: GitOptions,
): Promise<CommitEnding> {
  switch (plan.kind) {
    case 'found': {
      const said = await readSubject(workTree, plan.sha, options);
      return { outcome: 'found', commit: plan.sha, ...said, paths: [], left: [], at: null };
    }
    case 'nothing':
      return { outcome: 'nothing', ...NO_COMMIT, left: plan.left };
    case 'later':
      return { outcome: 'deferred', ...NO_COMMIT, left: plan.left, reason: plan.why, head: plan.head };
  }
}
