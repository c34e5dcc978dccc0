import type { ErrorDetail } from '../base/errors.js';
import outline from '../generated/size-outline.js';
import { type CheckedSchema, findFaults } from './schema-faults.js';
import { describeFaults } from './schema-findings.js';

// A plain `require`, as in recipe/conditions/language.ts: few sizes do not fit.
const SCHEMA: CheckedSchema = { outline, validator: () => require('../generated/size.js').default };

/** Lists what is wrong with the size of a piece of work (size.ts); empty when nothing is. */
export function findSizeFaults(value: unknown): ErrorDetail[] {
  return describeFaults(findFaults(SCHEMA, value)).map((found) =>
    found.pointer === '' ? { ...found, pointer: '/' } : found,
  );
}
