import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, freeText, optional, texts, word, words } from '../../registry/values.js';

/** Settings of commands that record something. */
const WRITES = { actor: 'agent', output: 'document' } as const;

/** The options with which a session describes its handoff. */
export const HANDOFF_TEXTS = {
  sessionSummary: optional(freeText('What the session did, in one line.')),
  firstNextAction: optional(freeText('The first action of the next session.')),
  doneWhen: optional(freeText('How to tell that the next action is done.', { needs: ['firstNextAction'] })),
  decision: optional(texts('What was decided; may be repeated.')),
  verification: optional(texts('A claim, "COMMAND -> RESULT"; may be repeated.')),
  tried: optional(texts('A dead end that was tried; may be repeated.')),
  blockedBy: optional(freeText('What blocks the work.')),
  switchedTo: optional(freeText('What the work has switched to; recorded as a decision.')),
  status: optional(choice(['complete', 'failed', 'blocked'], 'The status of the work. Default: what is proved.')),
  reason: optional(freeText('Why the work has this status.')),
};

const HANDOFF_VALUES = {
  ...HANDOFF_TEXTS,
  print: flag('Only show the file that would be written; with --text, nothing but its text.'),
  dryRun: flag('Only show what would be written; write nothing.'),
};

/** Commands by which a session leaves knowledge to the next one (memory.md, Commands). */
export const MEMORY_SPECS = [
  {
    name: 'memory decide',
    summary: 'Record a decision: a choice, an aim or its change, with the reason.',
    description:
      'The newest decision is the aim that the next session is told. Progress, a version bump or a test result is not a decision. Recording the same text again makes the decision the newest.',
    ...WRITES,
    input: Type.Object({
      text: freeText('What was chosen, in one line; 400 characters are kept.'),
      reason: optional(freeText('Why; without it the next session cannot tell whether it still holds.')),
      supersedes: optional(word('The decision that this one replaces, by id: m7.', { placeholder: 'ID' })),
    }),
    errors: ['UNKNOWN_ENTRY', 'DATA_MISSING'],
    examples: [
      {
        command: 'dev-cli memory decide --text "Sessions live in Redis" --reason "they must outlive a deploy"',
        note: 'The aim from now on.',
      },
      {
        command: 'dev-cli memory decide --text "Sessions live in Postgres" --supersedes m7',
        note: 'A different choice, in place of m7.',
      },
    ],
  },
  {
    name: 'memory next',
    summary: 'Record the next action in place of the previous one.',
    ...WRITES,
    input: Type.Object({
      text: freeText('What to do next, in one line.'),
      doneWhen: optional(freeText('How to tell that it is done.')),
    }),
    errors: ['DATA_MISSING'],
    examples: [
      {
        command: 'dev-cli memory next --text "Move the login to the new store" --done-when "npm test passes"',
        note: 'The first action of the next session.',
      },
    ],
  },
  {
    name: 'memory note',
    summary: 'Record a dead end, a blocker or a risk.',
    ...WRITES,
    input: Type.Object({
      kind: choice(['tried', 'blocked', 'risk'], 'What it is.'),
      text: freeText('The note, in one line.'),
    }),
    errors: ['DATA_MISSING'],
    examples: [
      {
        command: 'dev-cli memory note --kind tried --text "A cache in the process: two workers disagree"',
        note: 'So that nobody tries it again.',
      },
    ],
  },
  {
    name: 'memory relevant',
    summary: 'Name a file that the next session should read.',
    ...WRITES,
    positionals: ['path'],
    input: Type.Object({
      path: word('A file or directory of the project, relative to the current directory.', { format: 'file' }),
      why: optional(word('Why it matters.', { placeholder: 'TEXT' })),
    }),
    errors: ['DATA_MISSING', 'PATH_UNSAFE'],
    examples: [
      {
        command: 'dev-cli memory relevant src/session.ts --why "the only place that writes sessions"',
        note: 'Why it matters.',
      },
    ],
  },
  {
    name: 'memory verify',
    summary: 'Run a command and record how it ended, as proof; or record a claim.',
    description:
      'The command runs in the current directory, without a shell or a time limit, and its output goes to standard error. A command that ran proves something about the files of that moment; --text is only a claim and is shown as one. --again repeats commands that failed, or whose result is stale because files have changed; a command that was recorded elsewhere or contains a secret is listed and not run.',
    ...WRITES,
    positionals: ['argv'],
    input: Type.Object({
      argv: optional(words('After `--`: the program and its arguments.')),
      text: optional(freeText('A claim: "COMMAND -> RESULT".')),
      outcome: optional(
        choice(['passed', 'failed', 'unknown'], 'How the claimed command ended. Default: unknown.', {
          needs: ['text'],
        }),
      ),
      again: flag('Repeat commands that failed or are stale, oldest first, each for at most 300 seconds.'),
    }),
    oneOf: ['argv', 'text', 'again'],
    errors: ['COMMAND_FAILED', 'DATA_MISSING'],
    exitOfNo: 1,
    examples: [
      { command: 'dev-cli memory verify -- npm test', note: 'Proof, as long as no file changes.' },
      { command: 'dev-cli memory verify --text "curl /health -> 200" --outcome passed', note: 'A claim.' },
      { command: 'dev-cli memory verify --again', note: 'Check whether it still holds.' },
    ],
  },
  {
    name: 'memory checkpoint',
    summary: 'Keep the current files as a commit outside all branches.',
    description:
      'Keeps every file that git does not ignore at a reference below refs/dev-cli/checkpoints; no branch or file changes. The answer says how to restore them.',
    ...WRITES,
    input: Type.Object({ message: freeText('What the checkpoint is, in one line.') }),
    errors: ['DATA_MISSING', 'NEEDS_MISSING'],
    examples: [
      { command: 'dev-cli memory checkpoint --message "before the new store"', note: 'A state to return to.' },
    ],
  },
  {
    name: 'memory show',
    summary: 'Show what memory contains, and the state of git and the runs.',
    description:
      'Shows what was decided, verified, tried and left open, whether each verification still holds, and what waits for a person. Writes nothing.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    input: Type.Object({ all: flag('Show all entries, not only the newest of each kind.') }),
    errors: ['DOCUMENT_UNREADABLE'],
    examples: [
      { command: 'dev-cli memory show', note: 'One document, for a program.' },
      { command: 'dev-cli memory show --all --text', note: 'All of it, for a person.' },
    ],
  },
  {
    name: 'memory forget',
    summary: 'Remove an entry from memory.',
    description: 'The entry is no longer shown, but the journal keeps it. To erase everything, remove .dev/memory.',
    ...WRITES,
    positionals: ['id'],
    input: Type.Object({ id: word('The entry, by id: m7.') }),
    errors: ['UNKNOWN_ENTRY'],
    examples: [{ command: 'dev-cli memory forget m7', note: 'A note that no longer holds.' }],
  },
  {
    name: 'handoff write',
    summary: 'Record where the work stands, for the next session.',
    description:
      'Records what the options say, writes a file in .ai/handoffs, and renews the region of dev-cli in PROJECT_CONTEXT.md if there is one. Without --status, the work counts as complete only if that is proved: nothing uncommitted, the newest verification passed and still holds, no run is open. `missing` lists what keeps it from being complete.',
    ...WRITES,
    input: Type.Object(HANDOFF_VALUES),
    errors: ['DATA_MISSING', 'DOCUMENT_UNREADABLE'],
    examples: [
      {
        command:
          'dev-cli handoff write --session-summary "Sessions are kept in Redis" --first-next-action "Expire them" --done-when "npm test passes"',
        note: 'At the end of a session.',
      },
      { command: 'dev-cli handoff write --print', note: 'What the file would say.' },
    ],
  },
  {
    name: 'transfer',
    summary: 'Write where the work stands into PROJECT_CONTEXT.md.',
    description:
      'Does what `handoff write` does, but adds the region at the top of the file if there is none, and changes no other byte. Writes a file in .ai/handoffs only if that directory exists.',
    ...WRITES,
    input: Type.Object({
      handoff: flag('Hand over the state of the work.'),
      out: optional(
        word('The file with the region. Default: PROJECT_CONTEXT.md.', { format: 'file', placeholder: 'FILE' }),
      ),
      ...HANDOFF_VALUES,
    }),
    oneOf: ['handoff'],
    errors: ['DATA_MISSING', 'DOCUMENT_UNREADABLE', 'PATH_UNSAFE'],
    examples: [
      { command: 'dev-cli transfer --handoff', note: 'For whoever opens the project next.' },
      { command: 'dev-cli transfer --handoff --out docs/STATE.md --dry-run', note: 'What would change.' },
    ],
  },
  {
    name: 'context',
    summary: 'Show what a session must know when it begins.',
    description:
      'Shows the goal, how the previous session ended, what to do, what to read first, the rules, and what memory contains: decided, tried, verified, changed, and what waits for a person. Writes nothing; the same state gives the same bytes.',
    actor: 'agent',
    output: 'text',
    readOnly: true,
    input: Type.Object({
      format: optional(choice(['markdown', 'plain', 'json'], 'The format. Default: markdown.')),
    }),
    errors: ['SCHEMA_INVALID', 'DOCUMENT_UNREADABLE', 'CONTEXT_TOO_LARGE'],
    examples: [
      { command: 'dev-cli context', note: 'The first call in a session.' },
      { command: 'dev-cli context --format json', note: 'For a script.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
