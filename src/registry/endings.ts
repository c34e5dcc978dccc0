import { ERROR_CODES, type ExitCode } from '../base/error-codes.js';
import type { ErrorCode } from '../base/errors.js';
import type { CommandSpec } from './spec.js';

/**
 * The errors with which any command may fail, whatever it does: of the machine, the command line, and the run that is
 * named, whose documents may be unreadable or too large. Specifications list only those beyond them (`CommandSpec.errors`).
 */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'INTERNAL',
  'IO',
  'STATE_CORRUPT',
  'STATE_NEWER',
  'STATE_OLDER',
  'JOURNAL_CORRUPT',
  'CONTENT_MISSING',
  'GIT_FAILED',
  'DATA_MALFORMED',
  'EVIDENCE_INVALID',
  'USAGE',
  'NAME_INVALID',
  'NAME_REQUIRED',
  'NO_ACTIVE_RUN',
  'NO_SUCH_RUN',
  'INTERRUPTED',
];

/** The errors of commands that carry a run on: its commands, conditions and documents, on a machine that it may not know. */
export const CARRYING_ERRORS = [
  'COMMAND_FAILED',
  'RECIPE_INVALID',
  'RUN_UNTRUSTED',
  'DOCUMENT_UNREADABLE',
] as const satisfies readonly ErrorCode[];

/** The errors of commands by which a person decides on a run, or on another plan for it. */
export const DECISION_ERRORS = [
  ...CARRYING_ERRORS,
  'UNKNOWN_CHOICE',
  'DATA_MISSING',
  'SCHEMA_INVALID',
  'TERMINAL_REQUIRED',
  'INPUT_CHANGED',
  'PLAN_MISSING',
  'PLAN_EDITED',
  'STALE_ACTION',
  'FILES_OVERLAP',
  'PLAN_CONFLICT',
  'COMMIT_RUNNING',
  'RUN_ENDED',
] as const satisfies readonly ErrorCode[];

/** Lists all errors with which a command may fail; one that writes may also find the lock taken. */
export function listErrors({ errors, readOnly }: CommandSpec): ErrorCode[] {
  return [...COMMON_ERRORS, ...(readOnly === true ? [] : (['LOCKED'] as const)), ...errors];
}

/** Lists the exit codes of a command, in ascending order. */
export function listExits(spec: CommandSpec): ExitCode[] {
  const exits = [0, spec.exitOfNo ?? 0, ...listErrors(spec).map((code) => ERROR_CODES[code])] as const;
  return [...new Set(exits)].sort((one, other) => one - other);
}
