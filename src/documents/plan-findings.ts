import type { ErrorDetail } from '../base/errors.js';
import type { Validator } from './schema-faults.js';
import { listSchemaFaults } from './schema-findings.js';

// A plain `require`, as in recipe/conditions.ts: of all acknowledgements one brings a plan.
const validator = (): Validator => require('../generated/plan-content.js').default;

/** What does not fit the schema of plan-content.json, each in one line with its JSON pointer; empty when all fits. */
export function validatePlanContent(value: unknown): ErrorDetail[] {
  return listSchemaFaults(validator(), value);
}
