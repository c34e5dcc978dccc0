import { DevCliError } from '../../../base/errors.js';
import { isSameJson } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { formatLocalInstant, nameHandoff } from '../../../documents/handoff-file.js';
import { makePrivately } from '../../../project/own-places.js';
import { init } from '../../../protocol/init/init.js';
import { requireRecipe } from '../../../recipe/load/load.js';
import type { RunState } from '../../../run/state.js';
import { ensureDirectory } from '../../../store/durable.js';
import { identifyProcess } from '../../../store/process.js';
import { pickChanges, putTreeOn, writeTree } from '../../../work/attempt-commits.js';
import { addTree, copyPaths, findCommitOf, listReferences, mendTree, pointTree } from '../../../work/trees.js';
import { INTERRUPTED } from '../core/judge.js';
import type { LoopGoal } from '../goals.js';
import { findPlace, findRecords, keep, runCommand, type Site, type StepEnd } from '../site.js';
import type { Attempt, Verdict } from '../state-schema.js';
import { HANDOFFS } from './handoffs.js';

/**
 * Makes the tree of an attempt, with all that its first session finds (loop-core.md, auto, step 1). Runs at the root. Repeated, it
 * begins anew: nothing of the attempt's is in the tree yet.
 * @throws DevCliError `GIT_FAILED`, `IO`, and what `init` refuses
 */
export async function prepare(site: Site, attempt: Attempt, goal: LoopGoal): Promise<StepEnd> {
  const { context, top, git } = site;
  const place = findPlace(site, attempt);
  await makeTree(site, attempt, attempt.base);
  const refused = await furnish(site, attempt);
  if (refused !== null) return refused;
  const { base, zero } = await takeUpKept(site, attempt);
  const run = goal.recipe === null ? null : await beginRun(site, attempt, goal, goal.recipe);
  if (run !== null) await point(site, { ...attempt, run });
  const handoffs = [...context.reader.list(`${place}/${HANDOFFS}`)];
  const branches = [...(await listReferences(top, 'refs/heads', git)).keys()];
  const begun = { base, zero, run, handoffs, branches };
  return { event: 'PREPARED', patch: { ...begun, ...(await nameNextSession(site, { ...attempt, ...begun })) } };
}

/** Copies and sets up what is not in a commit, as the configuration says; what has run already is not run again. @returns why not */
export async function furnish(site: Site, attempt: Attempt): Promise<StepEnd | null> {
  const { config, context } = site;
  const place = findPlace(site, attempt);
  copyPaths(context.root, place, [HANDOFFS], false);
  ensureDirectory(`${place}/${HANDOFFS}`);
  const lacking = copyPaths(context.root, place, config.worktree_copy, true);
  if (lacking.length > 0) return fail(`worktree_copy names what is not there: ${lacking.join(', ')}`);
  for (const [index, line] of config.worktree_setup.entries()) {
    const seconds = config.test_timeout_minutes * 60;
    const command = { name: `setup-${index + 1}`, argv: [line], line, shell: true, seconds };
    const { exit, interrupted } = await runCommand(site, attempt, command);
    if (interrupted) return stop();
    if (exit !== 0) return fail(`worktree_setup ended with exit ${exit}: ${line}`);
  }
  return null;
}

/** Makes the tree of an attempt that was handed in, which no session had. @returns why not */
export async function prepareHanded(site: Site, attempt: Attempt, commit: string): Promise<StepEnd | null> {
  await reviveTree(site, attempt, commit);
  return furnish(site, attempt);
}

/**
 * Puts into a tree what an earlier attempt left: on the branch as it is now, or where that does not fit, on what it was made from.
 * @returns what it starts from, and the tree before
 */
async function takeUpKept(site: Site, { tree, base, from }: Attempt): Promise<{ base: string; zero: string }> {
  const { git } = site;
  const zero = await writeTree(tree, git);
  if (from === null || (await pickChanges(tree, from, git)) === null) return { base, zero };
  const before = await findCommitOf(tree, `${from}^`, git);
  if (before === null) throw new DevCliError('GIT_FAILED', 'What the last attempt was made from is gone.');
  await putTreeOn(tree, before, keep(site), git);
  const earlier = await writeTree(tree, git);
  const refused = await pickChanges(tree, from, git);
  if (refused === null) return { base: before, zero: earlier };
  throw new DevCliError('GIT_FAILED', `The last attempt cannot be taken up: ${refused}`);
}

/** Makes the tree of an attempt once more where tests, or a session, have removed it. */
export async function reviveTree(site: Site, attempt: Attempt, commit: string): Promise<void> {
  if (!(await mendTree(site.top, attempt.tree, site.git))) await makeTree(site, attempt, commit);
}

async function makeTree(site: Site, attempt: Attempt, commit: string): Promise<void> {
  // Prompts and what tools print are nobody else's.
  makePrivately(findRecords(site, attempt), site.context.root);
  await addTree(site.top, attempt.tree, commit, site.git);
  await point(site, attempt);
}

function point({ context, prefix, git }: Site, { tree, run, goal }: Attempt): Promise<void> {
  return pointTree(tree, { root: context.root, run, below: prefix.replace(/\/$/, ''), goal }, git);
}

/** The sequence number of a run's last entry; 0 without a run. */
async function readRunSeq({ context }: Site, run: string | null): Promise<number> {
  return run === null ? 0 : (await context.store.read(run)).seq;
}

/** What is known of an attempt from the moment on at which another session of it may begin. */
export async function nameNextSession(site: Site, attempt: Attempt): Promise<Partial<Attempt>> {
  const { sessions, handoffs, handoff, run } = attempt;
  return {
    sessions: sessions + 1,
    handoff: nameNew(site.context.clock.now(), handoff === '' ? handoffs : [...handoffs, handoff]),
    runSeq: await readRunSeq(site, run),
    host: identifyProcess().host,
  };
}

/** A name for a new handoff. */
function nameNew(now: number, taken: readonly string[]): string {
  const timestamp = formatLocalInstant(now);
  for (let count = 1; ; count += 1) {
    const name = nameHandoff(timestamp, count);
    if (!taken.includes(name)) return name;
  }
}

/** Begins the run of a goal, in process: it works in the attempt's tree, and belongs to no session. */
async function beginRun(site: Site, attempt: Attempt, goal: LoopGoal, recipe: string): Promise<string> {
  const { context } = site;
  const origin = { kind: 'goal', id: goal.id, attempt: attempt.n };
  const [run, isBegun] = await findName(site, `${goal.id.replaceAll('.', '-')}-${attempt.n}`, origin);
  if (isBegun) return run;
  const isWorkflow = requireRecipe(context.library, recipe).workflow !== undefined;
  const { warnOfSilence: _, ...rest } = context;
  const within = { ...rest, workTree: findPlace(site, attempt), session: null, signal: new AbortController().signal };
  await init(within, run, {
    ...(isWorkflow ? { workflow: recipe } : { recipe }),
    goal: [goal.title, ...goal.acceptance.map((one) => `- ${typeof one === 'string' ? one : one.run}`)].join('\n'),
    // What is kept is judged first: nothing is pushed unless the goal itself says so.
    set: { pull_request: 'false', ...goal.set },
    origin,
    new: true,
  });
  return run;
}

/** A name that no other run has, and whether the run of this attempt is begun by it already. */
async function findName(
  { context }: Site,
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

/** How an attempt ends that was told to. */
export function stop(): StepEnd {
  const verdict: Verdict = {
    ...{ classification: 'interrupted', success: false, action: 'stop', reason: INTERRUPTED },
  };
  return { event: 'OVER', patch: { stopped: true, verdict } };
}

/** What says nothing about the goal: the disk, git, another process. */
const SURROUNDINGS: readonly string[] = ['IO', 'GIT_FAILED', 'LOCKED', 'COMMAND_FAILED'];

/** How an attempt ends that dev-cli itself could not begin: for want of something around it, or because its goal cannot be begun. */
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
