import { findPlanMove } from '../engine/act/plan-difference.js';
import type { Context } from '../run/context.js';
import { getCurrent } from '../run/current.js';
import { PLAN_MOVE } from '../run/paths.js';
import { keyPlanMove, type PlanMove, type PlanMoved, recallPlanMove } from '../run/plan-move.js';
import type { RunState } from '../run/state.js';
import type { StreamState } from '../store/store.js';

/** An edited plan is read back by one call, and recalled by those after it (living-plan.md, A plan that moved on). */

type Head = Pick<StreamState<RunState>, 'snapshot' | 'files'>;

/** How the plan on disk differs from the captured one, as far as a call before has found out; undefined where none has. */
export function recallMovedPlan({ snapshot, files }: Head): PlanMoved | null | undefined {
  const engine = snapshot === null ? null : getCurrent(snapshot).engine;
  return engine === null ? null : recallPlanMove(files, keyPlanMove(engine, files));
}

/** The same; where none has, the plan is read. */
export function readPlanMove(head: Head): PlanMove {
  const known = recallMovedPlan(head);
  const engine = head.snapshot === null ? null : getCurrent(head.snapshot).engine;
  if (known !== undefined || head.snapshot === null || engine === null) return { moved: known ?? null, key: null };
  return { moved: findPlanMove(head.snapshot, head.files), key: keyPlanMove(engine, head.files) };
}

/** Keeps what this call has found out; otherwise, the next one finds it out again. */
export function keepPlanMove({ store }: Context, name: string, { moved, key }: PlanMove): void {
  if (key !== null) store.keepFinding(name, PLAN_MOVE, `${JSON.stringify({ key, moved })}\n`);
}
