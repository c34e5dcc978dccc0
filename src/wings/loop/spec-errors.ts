import type { ErrorCode } from '../../base/errors.js';

/** What any command of the loop may end with: it reads .ai/, and with a fleet the shared stream (fleet.md, Commands). */
export const LOOP_ERRORS = [
  'FLEET_UNAVAILABLE',
  'SCHEMA_INVALID',
  'NO_PROJECT',
  'FLEET_VERSION',
] as const satisfies readonly ErrorCode[];
