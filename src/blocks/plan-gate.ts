import { omitUndefined } from '../base/defined.js';
import type { CapturedRecipe } from '../recipe/captured.js';
import { isPlanGate } from '../recipe/declared.js';
import type { GateBlock } from '../recipe/resolved.js';
import type { PendingDocuments } from '../run/documents/pending.js';
import { collectGates } from '../run/facts.js';
import { PLAN_CONTENT } from '../run/paths.js';
import type { StepState } from '../run/recipe-state.js';
import type { PlanGate, RunState } from '../run/state.js';

/** The stage of an execution that asks about its plan, and the key of its answer in `gates`. */
export const APPROVE_PLAN = 'approvePlan';

/**
 * Finds the outcome of the gate that last asked about the plan in this run or, failing that, the outcome inherited from
 * the previous run of the same name. Null when no gate ever asked (engine.md, Approvals).
 * @param captured the recipe of the run, including all its phases
 */
export function findPlanGate(state: RunState, captured: CapturedRecipe): PlanGate | null {
  const recipes = captured.workflow?.phases.map(({ recipe }) => recipe) ?? [captured.recipe];
  const blocks = new Map(
    recipes.flatMap((recipe) => recipe.blocks.filter(isPlanGate).map((block) => [block.id, block])),
  );
  const { pendingAction: pending } = state;
  const { engine, steps } = state;
  const gates = collectGates(state);
  const asked = pending === null || pending.action === 'done' ? null : pending.block;
  if (pending !== null && asked !== null && blocks.has(asked)) return buildOpenGate(asked, pending.issuedAt);
  if (engine?.planApproved === null) return buildOpenGate(APPROVE_PLAN, pending?.issuedAt ?? state.updatedAt);
  const unanswered = [...blocks.keys()].find((id) => !Object.hasOwn(gates, id) && wasReached(steps[id]));
  if (unanswered !== undefined) return buildOpenGate(unanswered, state.updatedAt);
  const answers = Object.entries(gates).filter(([id, { plan }]) => plan !== undefined || blocks.has(id));
  const [last] = answers.sort(([, a], [, b]) => b.seq - a.seq);
  if (last === undefined) return state.planGate ?? null;
  const [id, { choice, by, at, digest, plan, stale }] = last;
  const block = blocks.get(id);
  const isAccepted = block === undefined ? choice === 'approve' : leadsToNextBlock(block, choice);
  const heard = by === 'human' || block?.human === false;
  return {
    gate: id,
    approved: isAccepted && heard && stale !== true,
    by,
    at,
    plan: plan ?? null,
    ...omitUndefined({ digest }),
  };
}

/** Whether the run has reached the gate. If the gate was reached but not answered, the run ended at it. */
function wasReached(step: StepState | undefined): boolean {
  return step !== undefined && step.status !== 'pending' && step.status !== 'skipped';
}

function buildOpenGate(gate: string, at: string): PlanGate {
  return { gate, approved: false, by: null, at, plan: null };
}

/** Whether a choice of a gate leads to the next block. */
export function leadsToNextBlock({ choices }: GateBlock, choice: string): boolean {
  const chosen = choices.find(({ id }) => id === choice);
  return chosen !== undefined && (chosen.goto ?? 'next') === 'next';
}

/** Whether plan-content.json is still the approved one. Ticked boxes do not matter, since only PLAN.md has them. */
export function isApproved({ approved, plan }: PlanGate, files: PendingDocuments): boolean {
  return approved && plan !== null && plan === files.digest(PLAN_CONTENT);
}
