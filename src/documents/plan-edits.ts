import type { PlanContent } from './plan-schema.js';

/** What an edited PLAN.md says (documents.md, Living plan). */
export type PlanEdits =
  | { kind: 'same' }
  | { kind: 'changed'; plan: PlanContent }
  | { kind: 'refused'; faults: readonly { line: number; problem: string }[] };

/** Reads an edited PLAN.md back. */
export function readEditedPlan(_plan: PlanContent, _edited: string, _rendered: string): PlanEdits {
  return { kind: 'refused', faults: [{ line: 1, problem: 'PLAN.md was edited by hand, and is not read back' }] };
}
