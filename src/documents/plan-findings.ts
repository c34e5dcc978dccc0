import type { Detail } from '../base/errors.js';
import validate from '../generated/plan-content.js';
import { findingsOf } from './schema-findings.js';

/** What does not fit the schema of plan-content.json, each in one line with its JSON pointer; empty when all fits. */
export function schemaFindings(value: unknown): Detail[] {
  return findingsOf(validate, value);
}
