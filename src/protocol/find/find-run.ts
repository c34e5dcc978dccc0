import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { noSuchRunError, requireName } from '../../base/name.js';
import { findPlanDifference } from '../../engine/act/plan/difference.js';
import { findOwnRun, type ReadContext } from '../../run/context.js';
import { mayPlanDiffer } from '../../run/plan/digests.js';
import { type PlanDifference, readPlanDifference } from '../../run/plan/move.js';
import type { RunHead, RunState } from '../../run/state.js';
import type { StreamState } from '../../store/store.js';
import { buildNoActiveRunError } from './no-active-run.js';

/** The command that starts a first run, with placeholders. */
export const FIRST_RUN: Invocation = { command: 'init', input: { name: 'NAME', goal: 'what you want' } };

/**
 * Finds the run that a command is about (protocol.md, Names): the named run, else the run to which this session is
 * bound, else the run for which this work tree was made, else the active run.
 * @param changes whether the command changes state; such a command needs a name if several runs are live and the
 * session is unknown
 * @param repeat builds the same command for a given run; if no run is active, the refusal suggests it for a live run,
 * else for the one that ended last
 * @throws DevCliError `NAME_INVALID`, `NO_ACTIVE_RUN`, `NAME_REQUIRED`
 */
export async function findRun(
  context: ReadContext,
  given: unknown,
  changes: boolean,
  repeat?: (name: string) => Invocation,
): Promise<string> {
  if (given !== undefined) return requireName(String(given));
  if (context.session !== null) {
    const bound = await context.store.session(context.session);
    if (bound !== null) return bound;
  }
  if (context.boundRun !== null) return context.boundRun;
  const active = await findOwnRun(context);
  if (changes) {
    // Runs of goals do not count: they have work trees of their own, where commands need no name.
    const live = await runsWhere(context, ({ status, origin }) => status === 'live' && origin === null);
    if (live.length > 1) {
      throw new DevCliError('NAME_REQUIRED', `Several runs are live: ${live.join(', ')}.`, {
        details: live.map((name) => ({ target: name, problem: 'live' })),
        fix: ['Name one, as in: ', { command: 'status', input: { name: live[0] ?? '' } }],
      });
    }
  }
  if (active !== null) return requireName(active);
  throw await buildNoActiveRunError(context, FIRST_RUN, repeat);
}

/**
 * Lists the names of the runs of this root, including unreadable ones. A directory whose first commit was interrupted
 * by a crash does not count as a run.
 */
export async function listRuns(context: ReadContext): Promise<string[]> {
  const names = await context.store.streams();
  const begun = await Promise.all(names.map((name) => isBegun(context, name)));
  return names.filter((_, n) => begun[n]);
}

async function isBegun(context: ReadContext, name: string): Promise<boolean> {
  try {
    return (await context.store.read(name)).snapshot !== null;
  } catch (error) {
    if (error instanceof DevCliError) return true;
    throw error;
  }
}

/** Lists the names of the runs of this root whose state satisfies `wanted`; leaves out unreadable runs. */
export async function runsWhere(context: ReadContext, wanted: (state: RunState) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const name of await context.store.streams()) {
    try {
      const { snapshot } = await context.store.read(name);
      if (snapshot !== null && wanted(snapshot)) found.push(name);
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
    }
  }
  return found;
}

/** Whether dev-cli itself is working for the run, on an external command or a commit. */
export function hasRunningJob(state: RunState | null): boolean {
  return state?.pendingAction?.action === 'running';
}

/** Whether deferred commits can be tried now, because no worker is changing the sources (engine.md, Commits). */
export function hasDeferredCommits(state: RunState | null): boolean {
  const engine = state === null ? null : state.engine;
  if (engine === null || engine.deferred.length === 0 || state?.status === 'aborted') return false;
  return Object.values(engine.tasks).every(({ substep }) => substep !== 'worker');
}

/** Whether dev-cli itself has work to do for the run before it can answer: a job or a deferred commit. */
export function hasWork(state: RunState | null): boolean {
  return hasRunningJob(state) || hasDeferredCommits(state);
}

/** Returns the id of the pending action; null if there is none or the run has ended. */
export function findPendingId(snapshot: RunState | null): string | null {
  const action = snapshot?.pendingAction ?? null;
  return action === null || action.action === 'done' ? null : action.actionId;
}

/** Reads a run that must exist. @throws DevCliError `NO_SUCH_RUN` and any error of the store */
export async function readRun(context: ReadContext, name: string): Promise<RunHead> {
  const head = await context.store.read(name);
  if (head.snapshot === null) throw noSuchRunError(name);
  return { ...head, snapshot: head.snapshot };
}

/** Whether the plan on disk may differ from the one that a run carries out, and could still be applied. */
export function mayPlanHaveChanged({ snapshot, files }: Pick<StreamState<RunState>, 'snapshot' | 'files'>): boolean {
  const engine = snapshot === null ? null : snapshot.engine;
  if (snapshot === null || engine === null || snapshot.status === 'completed' || snapshot.status === 'aborted')
    return false;
  return mayPlanDiffer(engine, files);
}

/**
 * Returns how the plan on disk differs from the captured one; null if it does not, or if the run has no execution that
 * can continue.
 * @param head the run with its lost documents restored
 */
export function findPlanDifferenceOnDisk(
  context: Pick<ReadContext, 'root' | 'keepsFindings'>,
  head: Pick<StreamState<RunState>, 'snapshot' | 'files'>,
): PlanDifference | null {
  return mayPlanHaveChanged(head) ? readPlanDifference(context, head, findPlanDifference) : null;
}
