import type { Mutant } from './draft.js';
import { ALL_MUTANTS } from './mutants/all.js';
import { CLOSE_MUTANTS } from './mutants/close.js';
import { EVENT_MUTANTS } from './mutants/events.js';
import { FIELD_MUTANTS } from './mutants/fields.js';
import { PLAN_MUTANTS } from './mutants/plan.js';
import { REST_MUTANTS } from './mutants/rest.js';
import { TASK_MUTANTS } from './mutants/task.js';

/** Servers that each break one requirement (neutral.md, Conformance). */
export const MUTANTS: readonly Mutant[] = [
  ...ALL_MUTANTS,
  ...FIELD_MUTANTS,
  ...PLAN_MUTANTS,
  ...TASK_MUTANTS,
  ...CLOSE_MUTANTS,
  ...REST_MUTANTS,
  ...EVENT_MUTANTS,
];
