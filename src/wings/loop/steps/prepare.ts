import { DevCliError } from '../../../base/errors.js';
import { isSameJson } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { formatLocalInstant, nameHandoff } from '../../../documents/handoff-file.js';
import { makePrivateDirectory } from '../../../project/own-places.js';
import { initRun } from '../../../protocol/init/init.js';
import { requireRecipe } from '../../../recipe/load/load.js';
import type { RunState } from '../../../run/state.js';
import { ensureDirectory } from '../../../store/durable.js';
import { identifyProcess } from '../../../store/process.js';
import { checkOutTree, pickChanges, writeTree } from '../../../work/attempt-commits.js';
import { addTree, copyPaths, findCommitOf, listReferences, pointTree, repairTree } from '../../../work/trees.js';
import { INTERRUPTED } from '../core/judge.js';
import type { LoopGoal } from '../goals.js';
import { type AttemptSite, findRecords, listKeptPaths, locateRootInTree, runCommand, type StepEnd } from '../site.js';
import type { Attempt, Verdict } from '../state-schema.js';
import { HANDOFFS } from './handoffs.js';
import { nameGoalPlan, writeGoalPlan } from './plan-of-goal.js';

/**
 * Creates the tree of an attempt, with everything that its first session needs (loop-core.md, auto, step 1). Runs at
 * the root. If repeated, starts over, because the tree does not hold any work yet.
 * @throws DevCliError `GIT_FAILED`, `IO`, and any code of `init`
 */
export async function prepareAttempt(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<StepEnd> {
  const { context, top, git } = site;
  const place = locateRootInTree(site, attempt);
  await makeTree(site, attempt, attempt.base);
  const refused = await setUpTree(site, attempt);
  if (refused !== null) return refused;
  const { base, zero } = await takeUpKept(site, attempt);
  const run = goal.recipe === null ? null : await beginRun(site, attempt, goal, goal.recipe);
  if (run !== null) await point(site, { ...attempt, run });
  const handoffs = [...context.reader.list(`${place}/${HANDOFFS}`)];
  const branches = [...(await listReferences(top, 'refs/heads', git)).keys()];
  const begun = { base, zero, run, handoffs, branches };
  return { event: 'PREPARED', patch: { ...begun, ...(await nameNextSession(site, { ...attempt, ...begun })) } };
}

/**
 * Copies the files that no commit contains, and runs the setup commands, as configured; commands that already ran are
 * not repeated.
 * @returns the end of the attempt if that fails
 */
export async function setUpTree(site: AttemptSite, attempt: Attempt): Promise<StepEnd | null> {
  const { config, context } = site;
  const place = locateRootInTree(site, attempt);
  copyPaths(context.root, place, [HANDOFFS], false);
  ensureDirectory(`${place}/${HANDOFFS}`);
  const lacking = copyPaths(context.root, place, config.worktree_copy, true);
  if (lacking.length > 0) return fail(`worktree_copy lists missing paths: ${lacking.join(', ')}`);
  for (const [index, line] of config.worktree_setup.entries()) {
    const seconds = config.test_timeout_minutes * 60;
    const command = { name: `setup-${index + 1}`, argv: [line], line, shell: true, seconds };
    const { exit, interrupted } = await runCommand(site, attempt, command);
    if (interrupted) return buildStoppedEnd();
    if (exit !== 0) return fail(`worktree_setup ended with exit ${exit}: ${line}`);
  }
  return null;
}

/** Creates the tree of a handed-in attempt, which had no session. @returns the end of the attempt if that fails */
export async function prepareHanded(site: AttemptSite, attempt: Attempt, commit: string): Promise<StepEnd | null> {
  await reviveTree(site, attempt, commit);
  return setUpTree(site, attempt);
}

/**
 * Applies an earlier attempt's commit to a tree: on top of the branch or, if that conflicts, on the commit that the
 * earlier attempt started from.
 * @returns the new base, and the tree object from before the change
 */
async function takeUpKept(site: AttemptSite, { tree, base, from }: Attempt): Promise<{ base: string; zero: string }> {
  const { git } = site;
  const zero = await writeTree(tree, git);
  if (from === null || (await pickChanges(tree, from, git)) === null) return { base, zero };
  const before = await findCommitOf(tree, `${from}^`, git);
  if (before === null) throw new DevCliError('GIT_FAILED', 'The commit that the last attempt started from is missing.');
  await checkOutTree(tree, before, listKeptPaths(site), git);
  const earlier = await writeTree(tree, git);
  const refused = await pickChanges(tree, from, git);
  if (refused === null) return { base: before, zero: earlier };
  throw new DevCliError('GIT_FAILED', `The last attempt cannot be taken up: ${refused}`);
}

/** Recreates the tree of an attempt if tests or a session removed it. */
export async function reviveTree(site: AttemptSite, attempt: Attempt, commit: string): Promise<void> {
  if (!(await repairTree(site.top, attempt.tree, site.git))) await makeTree(site, attempt, commit);
}

async function makeTree(site: AttemptSite, attempt: Attempt, commit: string): Promise<void> {
  // Prompts and tools' output are private.
  makePrivateDirectory(findRecords(site, attempt), site.context.root);
  await addTree(site.top, attempt.tree, commit, site.git);
  await point(site, attempt);
}

function point({ context, prefix, git }: AttemptSite, { tree, run, goal }: Attempt): Promise<void> {
  return pointTree(tree, { root: context.root, run, below: prefix.replace(/\/$/, ''), goal }, git);
}

/** Returns the sequence number of a run's last entry; 0 without a run. */
async function readRunSeq({ context }: AttemptSite, run: string | null): Promise<number> {
  return run === null ? 0 : (await context.store.read(run)).seq;
}

/** Returns the fields of an attempt that change for a new session. */
export async function nameNextSession(site: AttemptSite, attempt: Attempt): Promise<Partial<Attempt>> {
  const { sessions, handoffs, handoff, run } = attempt;
  return {
    sessions: sessions + 1,
    handoff: nameNew(site.context.clock.now(), handoff === '' ? handoffs : [...handoffs, handoff]),
    runSeq: await readRunSeq(site, run),
    host: identifyProcess().host,
  };
}

/** Returns a free name for a new handoff. */
function nameNew(now: number, taken: readonly string[]): string {
  const timestamp = formatLocalInstant(now);
  for (let count = 1; ; count += 1) {
    const name = nameHandoff(timestamp, count);
    if (!taken.includes(name)) return name;
  }
}

/** Begins a goal's run. The run works in the attempt's tree, and is not bound to any session. */
async function beginRun(site: AttemptSite, attempt: Attempt, goal: LoopGoal, recipe: string): Promise<string> {
  const { context } = site;
  const origin = { kind: 'goal', id: goal.id, attempt: attempt.n };
  const [run, isBegun] = await findName(site, `${nameGoalPlan(goal)}-${attempt.n}`, origin);
  if (isBegun) return run;
  const isWorkflow = requireRecipe(context.library, recipe).workflow !== undefined;
  const { warnOfSilence: _, ...rest } = context;
  const within = {
    ...rest,
    workTree: locateRootInTree(site, attempt),
    session: null,
    signal: new AbortController().signal,
  };
  await writeGoalPlan(within, goal, run, recipe);
  await initRun(within, run, {
    ...(isWorkflow ? { workflow: recipe } : { recipe }),
    goal: [goal.title, ...goal.acceptance.map((one) => `- ${typeof one === 'string' ? one : one.run}`)].join('\n'),
    // Nothing is pushed before the kept commit is judged, unless the goal itself demands it.
    set: { pull_request: 'false', ...goal.set },
    origin,
    new: true,
  });
  return run;
}

/** Finds a name that no other run has, and whether this attempt already began its run under it. */
async function findName(
  { context }: AttemptSite,
  name: string,
  origin: NonNullable<RunState['origin']>,
): Promise<[string, boolean]> {
  for (let count = 1; ; count += 1) {
    const run = count === 1 ? name : `${name}-${count}`;
    const { snapshot } = await context.store.read(run);
    if (snapshot === null) return [run, false];
    if (isSameJson(snapshot.origin, origin)) return [run, true];
  }
}

function fail(reason: string): StepEnd {
  const verdict: Verdict = { classification: 'tool-error', success: false, action: 'pause', reason };
  return { event: 'OVER', patch: { verdict } };
}

/** Returns the end of an attempt that a signal stopped. */
export function buildStoppedEnd(): StepEnd {
  const verdict: Verdict = {
    ...{ classification: 'interrupted', success: false, action: 'stop', reason: INTERRUPTED },
  };
  return { event: 'OVER', patch: { stopped: true, verdict } };
}

/** Errors that say nothing about the goal: disk, git, another process. */
const SURROUNDINGS: readonly string[] = ['IO', 'GIT_FAILED', 'LOCKED', 'COMMAND_FAILED'];

/**
 * Returns the end of an attempt that dev-cli could not begin, because of the goal itself or of disk, git or another
 * process.
 */
export function refuseAttempt(error: unknown): StepEnd {
  if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
  const details = error.details.map(({ target, problem }) =>
    target === undefined ? problem : `${target}: ${problem}`,
  );
  const fix = typeof error.fix === 'string' ? [error.fix] : [];
  const reason = toBoundedLine([error.message, ...details, ...fix].join(' '), 1_000);
  if (SURROUNDINGS.includes(error.code)) return fail(reason);
  return { event: 'OVER', patch: { verdict: { classification: 'failed', success: false, action: 'retry', reason } } };
}
