import type { ERROR_CODES } from './error-codes.js';

/** When each error occurs; the source of docs/errors.md. Separate from the codes because no command needs it. */
export const ERROR_MEANINGS: Readonly<Record<keyof typeof ERROR_CODES, string>> = {
  INTERNAL: 'dev-cli itself has a defect. The state is as it was before the call.',
  IO: 'A file could not be read or written: no permission, full disk, a read-only tree, a vanished directory.',
  STATE_CORRUPT:
    'state.json (of a run or of memory) or recipe.json is unusable and could not be rebuilt from the journal. Nothing was changed.',
  STATE_NEWER: 'The run, or the memory, was written by a newer version of dev-cli.',
  STATE_OLDER:
    'The run was written by a pre-release of dev-cli, which this version does not read. Nothing was changed.',
  JOURNAL_CORRUPT: 'A line of events.jsonl, other than a torn last one, is damaged. Nothing was changed.',
  CONTENT_MISSING: 'The committed content of a document is missing, or does not match its digest.',
  COMMAND_FAILED: 'An external command that the call needed could not be started, or failed.',
  GIT_FAILED: 'A git command that dev-cli needed failed.',
  USAGE: 'An option or argument is missing, unknown or repeated, or its value is unusable.',
  UNKNOWN_COMMAND: 'No such command.',
  NAME_INVALID:
    'The name of a run is empty, longer than 64 characters, or has characters other than letters, digits, "-" and "_".',
  NAME_REQUIRED: 'Several runs are live and nothing says which one is meant.',
  NO_ACTIVE_RUN: 'No name was given and no run is active here.',
  NO_SUCH_RUN: 'There is no run of that name.',
  NO_SUCH_SESSION: 'No session of the agent runtime has that id, or several ids begin with it.',
  MODE_CONTRADICTION: 'A flag of init contradicts what the recipe states, or the mode that the run began with.',
  SIZE_REFUSED:
    '`--size` contradicts another flag, is below the size of the work under way, or is given to a recipe that is the same at every size.',
  UNKNOWN_RECIPE: 'Neither dev-cli nor the project has a recipe of that name.',
  UNKNOWN_BLOCK: 'The recipe has no block of that id, or the prefix fits several.',
  UNKNOWN_SECTION: 'DRAFT.md has no section of that id.',
  UNKNOWN_CHOICE: 'The pending action does not offer that choice.',
  UNKNOWN_AGENT: 'The action has no agent of that id.',
  UNKNOWN_ENTRY: 'The journal of the run has no such entry or plan, or memory has no entry with that id.',
  UNKNOWN_PREFERENCE: '`--set` names neither a declared var nor a declared preference, or its value has another type.',
  DATA_MISSING: 'Data was expected and none was given: the option or the file is missing, or the file is empty.',
  DATA_MALFORMED: 'The data is neither valid JSON nor sections, has an unexpected shape, or is too large.',
  DATA_UNEXPECTED: 'Data, a choice or a result was given for an action that takes none.',
  EVIDENCE_MISSING: 'A promised file was not written, is empty, or is unchanged since the action was issued.',
  EVIDENCE_INVALID:
    'A promised file exists but is invalid: no front matter, a missing key, not a regular file, outside the project.',
  SCHEMA_INVALID: 'A document parses but violates its schema or the semantic rules. All findings are listed.',
  IDENTITY_MISSING: 'The run will commit, but git has no name and e-mail address for its commits. Nothing was started.',
  RECIPE_INVALID: 'A recipe has errors. All are listed with file, line and column.',
  RECIPE_UNTRUSTED: "The project's recipe runs external commands, and this version of it has not been trusted.",
  RUN_UNTRUSTED:
    'The run was copied or cloned from elsewhere and would start a command, but nobody has trusted it here.',
  PREFERENCES_INVALID: '.dev/preferences.yaml does not parse, or one of its values has the wrong type.',
  NEEDS_MISSING:
    'The recipe or the call needs something that is missing: a git remote, `gh`, a signed-in `gh` user, a repository, a git hook that can be changed. Nothing was started.',
  HUMAN_REQUIRED:
    'A gate needs a person, who answers in the chat (where hooks are installed) or with `dev-cli approve`. `answer` is the command for the user to run.',
  TERMINAL_REQUIRED:
    'The command is for a person at a terminal without a harness mark. `answer` is the command for the user to run there.',
  DRAFT_MISSING: 'The run has no DRAFT.md: its recipe uses none, or cleanup removed it.',
  DOCUMENT_UNREADABLE: 'A document that dev-cli would have to rewrite does not parse; it was left unchanged.',
  INPUT_CHANGED:
    'A document changed after a gate asked about it, after a reviewer received it, or after a `stale: block` block was built on it; or something else that a person was asked about has changed.',
  SOURCES_CHANGED: 'Files outside .dev/ changed during a phase that may not touch them.',
  PLAN_MISSING: 'There is no valid plan to execute.',
  FLEET_UNAVAILABLE:
    'The fleet database cannot be reached or used, or a package that connects to it is not installed; `fix` says what to do.',
  PLAN_EDITED: 'PLAN.md and plan-content.json disagree: one of them was changed after the plan was generated.',
  UNDO_IMPOSSIBLE: 'The todo has no commit here that can be reverted, or git cannot commit where HEAD is.',
  PATH_UNSAFE:
    'Memory cannot keep the path: it leads out of the project or into a closed directory, or git ignores it.',
  CONTEXT_TOO_LARGE: 'The context exceeds its limit of bytes, even without everything that can be left out.',
  TOOL_REFUSED: 'A tool of the neutral contract refused the call, in the words of the contract; no file was changed.',
  NO_PROJECT: 'The project lacks `.ai/config.yaml` or `.ai/goals.yaml`; `dev-cli init` without a name writes both.',
  GOAL_REFUSED:
    'A goal cannot be worked on: it is unknown, not active, for a person, divided into others, or depends on one that is not done.',
  DECISION_REFUSED: 'A decision cannot be accepted: it is accepted already, or its ticket cannot be changed in place.',
  TOOL_MISSING:
    'The program that a tool of `.ai/config.yaml` starts is not installed, or there is no tool of that name.',
  CONFIG_UNTRUSTED:
    'Nobody has trusted the commands of `.ai/config.yaml` and `.ai/goals.yaml` in this clone. `answer` is the command for the user to run.',
  FLEET_VERSION: 'The schema of the fleet database is older or newer than this dev-cli can use.',
  FLEET_UNTRUSTED:
    'This machine does not trust the commands of a goal, or the recipe of its run (spec/fleet.md, Trust).',
  PACKET_REFUSED:
    'A result that was handed in cannot be accepted; `details` has every finding. Nothing was written (spec/loop-operations.md, Packets).',
  RUNTIME_INVALID:
    'The agent runtime cannot start: its configuration, model, key or price is missing or wrong; `details` has every finding. Nothing was sent.',
  CLAIM_REFUSED:
    'A goal cannot be claimed, or the claim has ended or belongs to another worker; `details` has the `reason_code` (spec/loop-operations.md).',
  INBOX_REFUSED:
    'An inbox item is unknown or closed, or cannot be answered like this; `details` has the `reason_code` (spec/loop-operations.md).',
  STALE_ACTION: 'The named action is not the pending one and was never acknowledged.',
  NOT_REACHED: 'The block was never reached.',
  PHASE_ENDED: 'The step belongs to a phase of the workflow that has ended, so it cannot be redone.',
  RUN_EXISTS: 'A run of that name is live with another recipe.',
  RECIPE_EXISTS: 'Something else exists where `recipe new` would write. Nothing was overwritten.',
  RUN_SAME_GOAL: 'A run of another name is live with the same goal, ignoring case, blanks and punctuation.',
  RUN_ACTIVE:
    'This session is bound to another unfinished run, or a run that has not ended still needs what the call would remove.',
  FILES_OVERLAP: 'Another run carries out a plan in the same work tree, and todos of both may change the same files.',
  PLAN_CONFLICT:
    'PLAN.md and plan-content.json have both changed since one was made from the other, so neither is applied.',
  COMMIT_RUNNING:
    'git is making the commit of a todo that the call would change; once it is made, repeat the same call.',
  RUN_BUSY: 'Workers or jobs of the run are at work on the sources that the call would change.',
  RUN_HELD: 'A person holds the run, and the call would bypass that.',
  UNDO_CONFLICT: 'Later commits, or uncommitted work, keep a commit from being reverted.',
  RUN_ENDED: 'The run has ended.',
  TREE_DIRTY:
    'Files outside `.ai/` and `.dev/` have uncommitted changes, which work in a separate work tree would not see.',
  LOCKED: 'Another process held the lock for longer than the time limit.',
  INTERRUPTED: 'Ctrl-C, SIGTERM or SIGHUP. What was committed stays; nothing is left half done.',
};
