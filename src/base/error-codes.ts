/**
 * The exit code of a call. It says only whether the call did what it was asked to do, not whether the run is going well
 * (protocol.md §1).
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** The meaning of each exit code, as docs/errors.md shows it. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done as asked',
  1: 'operational failure: I/O, a corrupt file, an external command that failed',
  2: 'usage: unknown command, option, name or choice; malformed data',
  3: 'refused: evidence or documents are missing or invalid; do more, then repeat the command',
  4: 'conflict: out of date, another live run, or the lock was not obtained in time',
  130: 'interrupted',
};

/**
 * Every error code with its exit code; error-meanings.ts says when each occurs. A released code never changes its
 * meaning.
 */
export const ERROR_CODES = {
  // 1: operational failure
  INTERNAL: 1,
  IO: 1,
  STATE_CORRUPT: 1,
  STATE_NEWER: 1,
  STATE_OLDER: 1,
  JOURNAL_CORRUPT: 1,
  CONTENT_MISSING: 1,
  COMMAND_FAILED: 1,
  GIT_FAILED: 1,
  FLEET_UNAVAILABLE: 1,
  // 2: usage
  USAGE: 2,
  UNKNOWN_COMMAND: 2,
  NAME_INVALID: 2,
  NAME_REQUIRED: 2,
  NO_ACTIVE_RUN: 2,
  NO_SUCH_RUN: 2,
  NO_SUCH_SESSION: 2,
  MODE_CONTRADICTION: 2,
  SIZE_REFUSED: 2,
  UNKNOWN_RECIPE: 2,
  UNKNOWN_BLOCK: 2,
  UNKNOWN_SECTION: 2,
  UNKNOWN_CHOICE: 2,
  UNKNOWN_AGENT: 2,
  UNKNOWN_ENTRY: 2,
  UNKNOWN_PREFERENCE: 2,
  DATA_MISSING: 2,
  DATA_MALFORMED: 2,
  DATA_UNEXPECTED: 2,
  // 3: refused; do more, then repeat the command
  EVIDENCE_MISSING: 3,
  EVIDENCE_INVALID: 3,
  SCHEMA_INVALID: 3,
  IDENTITY_MISSING: 3,
  RECIPE_INVALID: 3,
  RECIPE_UNTRUSTED: 3,
  RUN_UNTRUSTED: 3,
  PREFERENCES_INVALID: 3,
  NEEDS_MISSING: 3,
  HUMAN_REQUIRED: 3,
  TERMINAL_REQUIRED: 3,
  DRAFT_MISSING: 3,
  DOCUMENT_UNREADABLE: 3,
  INPUT_CHANGED: 3,
  SOURCES_CHANGED: 3,
  PLAN_MISSING: 3,
  PLAN_EDITED: 3,
  UNDO_IMPOSSIBLE: 3,
  PATH_UNSAFE: 3,
  CONTEXT_TOO_LARGE: 3,
  TOOL_REFUSED: 3,
  NO_PROJECT: 3,
  GOAL_REFUSED: 3,
  DECISION_REFUSED: 3,
  TOOL_MISSING: 3,
  CONFIG_UNTRUSTED: 3,
  FLEET_VERSION: 3,
  FLEET_UNTRUSTED: 3,
  PACKET_REFUSED: 3,
  RUNTIME_INVALID: 3,
  // 4: conflict
  STALE_ACTION: 4,
  NOT_REACHED: 4,
  PHASE_ENDED: 4,
  RUN_EXISTS: 4,
  RECIPE_EXISTS: 4,
  RUN_SAME_GOAL: 4,
  RUN_ACTIVE: 4,
  FILES_OVERLAP: 4,
  PLAN_CONFLICT: 4,
  COMMIT_RUNNING: 4,
  RUN_BUSY: 4,
  RUN_HELD: 4,
  UNDO_CONFLICT: 4,
  RUN_ENDED: 4,
  TREE_DIRTY: 4,
  CLAIM_REFUSED: 4,
  INBOX_REFUSED: 4,
  LOCKED: 4,
  INTERRUPTED: 130,
} as const satisfies Record<string, ExitCode>;
