/** Exit codes judge only what was asked (protocol.md §1). */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** What an exit code says. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done as asked',
  1: 'operational failure: I/O, a corrupt file, an external command that failed',
  2: 'usage: unknown command, option, name or choice; malformed data',
  3: 'refused: evidence or documents are missing or invalid; do more, then the same again',
  4: 'conflict: out of date, another live run, or the lock was not obtained in time',
  130: 'interrupted',
};

interface ErrorSpec {
  exit: ExitCode;
  /** When it happens; one line, shown in docs/errors.md. */
  when: string;
}

/**
 * Every error code there is. docs/errors.md is generated from this table and a test keeps the two equal.
 * A code, once released, keeps its meaning.
 */
export const ERROR_CODES = {
  // 1: operational failure
  INTERNAL: { exit: 1, when: 'dev-cli itself has a defect. The state is as it was before the call.' },
  IO: {
    exit: 1,
    when: 'A file could not be read or written: no permission, full disk, a read-only tree, a vanished directory.',
  },
  STATE_CORRUPT: {
    exit: 1,
    when: 'state.json or recipe.json cannot be used and could not be rebuilt from the journal. Nothing was touched.',
  },
  STATE_NEWER: { exit: 1, when: 'The run was written by a newer version of dev-cli.' },
  JOURNAL_CORRUPT: {
    exit: 1,
    when: 'A line of events.jsonl, other than a torn last one, is damaged. Nothing was touched.',
  },
  CONTENT_MISSING: {
    exit: 1,
    when: 'The content of a document, as it was committed, is not in objects/ or is not what its digest says.',
  },
  COMMAND_FAILED: { exit: 1, when: 'An external command that was asked for directly failed.' },
  GIT_FAILED: { exit: 1, when: 'git was needed and could not do its part.' },
  // 2: usage
  USAGE: { exit: 2, when: 'An option or argument is missing, unknown, doubled or has no usable value.' },
  UNKNOWN_COMMAND: { exit: 2, when: 'No such command.' },
  NAME_INVALID: {
    exit: 2,
    when: 'The name of a run has other characters than letters, digits, "-" and "_", or is empty or longer than 64.',
  },
  NAME_REQUIRED: { exit: 2, when: 'Several runs are live and nothing tells which one is meant.' },
  NO_ACTIVE_RUN: { exit: 2, when: 'No name was given and no run is active here.' },
  NO_SUCH_RUN: { exit: 2, when: 'There is no run of that name.' },
  GOAL_MISSING: { exit: 2, when: 'The recipe uses the goal and none was given.' },
  MODE_CONTRADICTION: {
    exit: 2,
    when: 'A flag of init contradicts what the recipe states, or the mode that the run began with.',
  },
  UNKNOWN_RECIPE: { exit: 2, when: 'No recipe of that name is shipped with dev-cli or lies in the project.' },
  UNKNOWN_BLOCK: { exit: 2, when: 'The recipe has no block of that id, or the prefix fits several.' },
  UNKNOWN_SECTION: { exit: 2, when: 'DRAFT.md has no section of that id.' },
  UNKNOWN_CHOICE: { exit: 2, when: 'The pending action does not offer that choice.' },
  UNKNOWN_AGENT: { exit: 2, when: 'The action has no agent of that id.' },
  UNKNOWN_ENTRY: { exit: 2, when: 'The journal of the run has no entry of that number.' },
  UNKNOWN_PREFERENCE: {
    exit: 2,
    when: '`--set` names neither a declared var nor a declared preference, or its value has another type.',
  },
  DATA_MISSING: {
    exit: 2,
    when: 'Data was expected and none came: the option is missing, the file does not exist, or it is empty.',
  },
  DATA_MALFORMED: {
    exit: 2,
    when: 'The data is neither valid JSON nor sections, has another shape than expected, or is too large.',
  },
  DATA_UNEXPECTED: { exit: 2, when: 'Data, a choice or a result came for an action that takes none.' },
  // 3: refused; do more, then the same again
  EVIDENCE_MISSING: {
    exit: 3,
    when: 'A promised file was not written, is empty, or is still as it was when the action was issued.',
  },
  EVIDENCE_INVALID: {
    exit: 3,
    when: 'A promised file exists and does not hold up: no front matter, a missing key, not a regular file, outside the project.',
  },
  SCHEMA_INVALID: {
    exit: 3,
    when: 'A document parses and does not fit its schema or the semantic rules. All findings are listed.',
  },
  IDENTITY_MISSING: {
    exit: 3,
    when: 'The run will commit, and git knows no name and address for its commits. Nothing was begun.',
  },
  RECIPE_INVALID: { exit: 3, when: 'A recipe has errors. All are listed with file, line and column.' },
  RECIPE_UNTRUSTED: {
    exit: 3,
    when: "The project's recipe runs external commands and was not trusted in this version.",
  },
  RUN_UNTRUSTED: {
    exit: 3,
    when: 'The run came from elsewhere, in a copy or a clone, and wants to start a command; nobody has trusted it here.',
  },
  PREFERENCES_INVALID: { exit: 3, when: '.dev/preferences.yaml does not parse or holds a value of another type.' },
  NEEDS_MISSING: {
    exit: 3,
    when: 'The recipe needs something that is not there: a git remote, `gh`, somebody signed in with it. Nothing was begun.',
  },
  HUMAN_REQUIRED: {
    exit: 3,
    when: 'A gate needs a person: what is typed into `dev-cli approve`. `answer` is what the user runs.',
  },
  TERMINAL_REQUIRED: {
    exit: 3,
    when: 'The command is for a person: on a terminal, where no harness’s mark is set. `answer` is what the user runs there.',
  },
  DRAFT_MISSING: { exit: 3, when: 'The run has no DRAFT.md: its recipe uses none, or cleanup removed it.' },
  DRAFT_INCOMPLETE: { exit: 3, when: 'Required sections of DRAFT.md are empty.' },
  DOCUMENT_UNREADABLE: {
    exit: 3,
    when: 'A document that dev-cli would have to rewrite does not parse; it was left as it is.',
  },
  INPUT_CHANGED: {
    exit: 3,
    when: 'What a gate asked about or a reviewer was handed changed meanwhile, or what a block declared `stale: block` was built on.',
  },
  SOURCES_CHANGED: { exit: 3, when: 'Files outside .dev/ changed during a phase that may not touch them.' },
  PLAN_MISSING: { exit: 3, when: 'There is no valid plan to execute.' },
  PLAN_EDITED: {
    exit: 3,
    when: 'PLAN.md is not what plan-content.json says: one of the two was changed since the plan was generated.',
  },
  // 4: conflict
  STALE_ACTION: { exit: 4, when: 'The action named is not the pending one, and was never acknowledged as such.' },
  NOT_REACHED: { exit: 4, when: 'The block was never reached.' },
  PHASE_ENDED: { exit: 4, when: 'The step belongs to a phase of the workflow that has ended; its steps stand.' },
  RUN_EXISTS: { exit: 4, when: 'A run of that name is live with another recipe.' },
  RUN_SAME_GOAL: {
    exit: 4,
    when: 'A run of another name is live with the same goal; case, blanks and punctuation aside.',
  },
  RUN_ACTIVE: { exit: 4, when: 'This session is bound to another unfinished run.' },
  FILES_OVERLAP: {
    exit: 4,
    when: 'Another run carries out a plan in the same work tree, and todos of both may change the same files.',
  },
  RUN_ENDED: { exit: 4, when: 'The run has ended.' },
  LOCKED: { exit: 4, when: 'Another process held the lock for longer than the bound.' },
  INTERRUPTED: { exit: 130, when: 'Ctrl-C, SIGTERM or SIGHUP. What was committed stays, nothing is half done.' },
} as const satisfies Record<string, ErrorSpec>;
