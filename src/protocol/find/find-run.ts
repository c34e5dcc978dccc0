import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { noSuchRunError, requireName } from '../../base/name.js';
import { findPlanMove } from '../../engine/act/plan/difference.js';
import { findOwnRun, type ReadContext } from '../../run/context.js';
import { mayPlanDiffer } from '../../run/plan/digests.js';
import { type PlanMoved, readPlanMove } from '../../run/plan/move.js';
import type { RunHead, RunState } from '../../run/state.js';
import type { StreamState } from '../../store/store.js';
import { buildNoActiveRunError } from './no-active-run.js';

/** How a first run is started. */
export const FIRST_RUN: Invocation = { command: 'init', input: { name: 'NAME', goal: 'what you want' } };

/**
 * The run a command is about (protocol.md, Names): the one named, else the one this session is bound to, else the one
 * this work tree was made for, else the active one.
 * @param changes whether the command changes state: then several live runs and no known session need the name
 * @param repeat the command for a run, which the refusal then names for the one that ended last
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
    // Those of goals have work trees of their own, where they need no name.
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
 * The names of the runs of this root, also of those that cannot be read. A directory whose first commit a crash cut off
 * is none.
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

/** The names of the runs of this root that are as wanted; a run that cannot be read is not. */
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

/** Whether dev-cli itself is at work for the run: an external command, a commit. */
export function hasRunningJob(state: RunState | null): boolean {
  return state?.pendingAction?.action === 'running';
}

/** Whether commits that had to wait can be made now, as far as git can: no worker is at the sources (engine.md, Commits). */
export function hasDeferredCommits(state: RunState | null): boolean {
  const engine = state === null ? null : state.engine;
  if (engine === null || engine.deferred.length === 0 || state?.status === 'aborted') return false;
  return Object.values(engine.tasks).every(({ substep }) => substep !== 'worker');
}

/** Whether dev-cli itself has something to do for the run before it can answer: a job, or a deferred commit. */
export function hasWork(state: RunState | null): boolean {
  return hasRunningJob(state) || hasDeferredCommits(state);
}

/** The id of the action that is pending; null where none is, or the run has ended. */
export function findPendingId(snapshot: RunState | null): string | null {
  const action = snapshot?.pendingAction ?? null;
  return action === null || action.action === 'done' ? null : action.actionId;
}

/** A run that exists. @throws DevCliError `NO_SUCH_RUN` and what the store throws */
export async function readRun(context: ReadContext, name: string): Promise<RunHead> {
  const head = await context.store.read(name);
  if (head.snapshot === null) throw noSuchRunError(name);
  return { ...head, snapshot: head.snapshot };
}

/** Whether the plan on disk may be another than the one that a run carries out, and could take up. */
export function mayPlanMove({ snapshot, files }: Pick<StreamState<RunState>, 'snapshot' | 'files'>): boolean {
  const engine = snapshot === null ? null : snapshot.engine;
  if (snapshot === null || engine === null || snapshot.status === 'completed' || snapshot.status === 'aborted')
    return false;
  return mayPlanDiffer(engine, files);
}

/**
 * How the plan on disk differs from the captured one; null where it does not, or where no execution can go on.
 * @param head with what was lost put back
 */
export function findMovedPlan(
  context: Pick<ReadContext, 'root' | 'keepsFindings'>,
  head: Pick<StreamState<RunState>, 'snapshot' | 'files'>,
): PlanMoved | null {
  return mayPlanMove(head) ? readPlanMove(context, head, findPlanMove) : null;
}
