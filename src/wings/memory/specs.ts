import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, freeText, optional, texts, word, words } from '../../registry/values.js';

/** Settings shared by commands that record something; `REFUSES`: those that may also exit with 3, a refusal. */
const WRITES = { actor: 'agent', output: 'document', exits: [0, 1, 2, 4, 130] } as const;
const REFUSES = { ...WRITES, exits: [0, 1, 2, 3, 4, 130] } as const;

/** The options with which a session describes its handoff. */
export const HANDOFF_TEXTS = {
  sessionSummary: optional(freeText('What the session did, as one line.')),
  firstNextAction: optional(freeText('What the next session begins with.')),
  doneWhen: optional(freeText('How to tell that the next action is done.', { needs: ['firstNextAction'] })),
  decision: optional(texts('What was decided; may be repeated.')),
  verification: optional(texts('A claim, "COMMAND -> RESULT"; may be repeated.')),
  tried: optional(texts('A dead end; may be repeated.')),
  blockedBy: optional(freeText('What keeps the work from going on.')),
  switchedTo: optional(freeText('What the work has turned to; it is recorded as a decision.')),
  status: optional(choice(['complete', 'failed', 'blocked'], 'How the work stands. Default: what is proved.')),
  reason: optional(freeText('Why it stands so.')),
};

const HANDOFF_VALUES = {
  ...HANDOFF_TEXTS,
  print: flag('Only show the file that would be written, by itself with --text.'),
  dryRun: flag('Only say what would be written; write nothing.'),
};

/** Commands by which a session leaves knowledge to the next one (memory.md, Commands). */
export const MEMORY_SPECS = [
  {
    name: 'memory decide',
    summary: 'Record a decision: a choice, an aim or its change, with the reason.',
    description:
      'The newest decision is the aim that the next session is told. Progress, a version bump or the result of a test is none. The same text again moves the decision to the end.',
    ...WRITES,
    input: Type.Object({
      text: freeText('What was chosen, as one line; 400 characters are kept.'),
      reason: optional(freeText('Why; without it the next session cannot tell whether it still holds.')),
      supersedes: optional(word('The decision that this one replaces, by id: m7.', { placeholder: 'ID' })),
    }),
    examples: [
      {
        command: 'dev-cli memory decide --text "Sessions live in Redis" --reason "they must outlive a deploy"',
        note: 'The aim from now on.',
      },
      { command: 'dev-cli memory decide --text "Sessions live in Postgres" --supersedes m7', note: 'Another choice.' },
    ],
  },
  {
    name: 'memory next',
    summary: 'Record the next action, in place of the one before.',
    ...WRITES,
    input: Type.Object({
      text: freeText('What is to be done next, as one line.'),
      doneWhen: optional(freeText('How to tell that it is done.')),
    }),
    examples: [
      {
        command: 'dev-cli memory next --text "Move the login to the new store" --done-when "npm test passes"',
        note: 'What the next session begins with.',
      },
    ],
  },
  {
    name: 'memory note',
    summary: 'Note a dead end, something that blocks, or a risk.',
    ...WRITES,
    input: Type.Object({
      kind: choice(['tried', 'blocked', 'risk'], 'What it is.'),
      text: freeText('The note, as one line.'),
    }),
    examples: [
      {
        command: 'dev-cli memory note --kind tried --text "A cache in the process: two workers disagree"',
        note: 'Nobody tries it again.',
      },
    ],
  },
  {
    name: 'memory relevant',
    summary: 'Name a file that the next session should read.',
    ...REFUSES,
    positionals: ['path'],
    input: Type.Object({
      path: word('A file or directory of the project, relative to where the call is made.', { format: 'file' }),
      why: optional(word('Why it matters.', { placeholder: 'TEXT' })),
    }),
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
      'The command runs where the call is made, without a shell, and all that it prints goes to standard error. It may take as long as it takes. What ran proves what was there; --text is a claim, and told as one. --again repeats what ran and failed, or no longer holds because something has changed since; one that was recorded elsewhere, or holds a secret, is named and not run.',
    ...WRITES,
    positionals: ['argv'],
    input: Type.Object({
      argv: optional(words('Behind `--`: the program and its arguments.')),
      text: optional(freeText('A claim: "COMMAND -> RESULT".')),
      outcome: optional(
        choice(['passed', 'failed', 'unknown'], 'How the claimed command ended. Default: unknown.', {
          needs: ['text'],
        }),
      ),
      again: flag('Repeat what failed or is stale, oldest first, each for at most 300 seconds.'),
    }),
    oneOf: ['argv', 'text', 'again'],
    examples: [
      { command: 'dev-cli memory verify -- npm test', note: 'Proof, as long as nothing changes.' },
      { command: 'dev-cli memory verify --text "curl /health -> 200" --outcome passed', note: 'A claim.' },
      { command: 'dev-cli memory verify --again', note: 'Does it still hold?' },
    ],
  },
  {
    name: 'memory checkpoint',
    summary: 'Keep the present files as a commit beside the branches.',
    description:
      'All that git does not ignore is kept at a reference below refs/dev-cli/checkpoints; no branch and no file moves. The answer says how to restore it.',
    ...REFUSES,
    input: Type.Object({ message: freeText('What it is, as one line.') }),
    examples: [
      { command: 'dev-cli memory checkpoint --message "before the new store"', note: 'A state to come back to.' },
    ],
  },
  {
    name: 'memory show',
    summary: 'Show what memory holds, with what git and the runs say now.',
    description:
      'What was decided, verified, tried and left, whether each verification still holds, and what waits for a person. Nothing is written.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    input: Type.Object({ all: flag('Show all that is kept, not only the newest of each kind.') }),
    exits: [0, 1, 2, 130],
    examples: [
      { command: 'dev-cli memory show', note: 'One document, for a program.' },
      { command: 'dev-cli memory show --all --text', note: 'All of it, to read.' },
    ],
  },
  {
    name: 'memory forget',
    summary: 'Take an entry out of memory.',
    description: 'It is not shown any more; the journal keeps it. To erase everything, remove .dev/memory.',
    ...WRITES,
    positionals: ['id'],
    input: Type.Object({ id: word('The entry, by id: m7.') }),
    examples: [{ command: 'dev-cli memory forget m7', note: 'A note that does not hold any more.' }],
  },
  {
    name: 'handoff write',
    summary: 'Write down where the work stands, for the next session.',
    description:
      'Records what is said, writes a file in .ai/handoffs, and renews the region of dev-cli in PROJECT_CONTEXT.md where there is one. Without --status, the work is complete only where that is proved: nothing uncommitted, the newest verification passed and still holds, no run is open. What keeps it from being complete is listed under `missing`.',
    ...REFUSES,
    input: Type.Object(HANDOFF_VALUES),
    examples: [
      {
        command:
          'dev-cli handoff write --session-summary "Sessions are kept in Redis" --first-next-action "Expire them" --done-when "npm test passes"',
        note: 'At the end of a session.',
      },
      { command: 'dev-cli handoff write --print', note: 'What would the file say?' },
    ],
  },
  {
    name: 'transfer',
    summary: 'Put where the work stands into PROJECT_CONTEXT.md.',
    description:
      'Does what `handoff write` does, but makes the region where there is none, first in the file, and leaves every other byte as it is. A file in .ai/handoffs is written only where that directory is.',
    ...REFUSES,
    input: Type.Object({
      handoff: flag('Hand over the state of the work.'),
      out: optional(
        word('The file with the region. Default: PROJECT_CONTEXT.md.', { format: 'file', placeholder: 'FILE' }),
      ),
      ...HANDOFF_VALUES,
    }),
    oneOf: ['handoff'],
    examples: [
      { command: 'dev-cli transfer --handoff', note: 'For whoever opens the project next.' },
      { command: 'dev-cli transfer --handoff --out docs/STATE.md --dry-run', note: 'What would change?' },
    ],
  },
  {
    name: 'context',
    summary: 'Show what a session has to know when it begins.',
    description:
      'The goal, how the previous session ended, what is to be done, what to read first, the rules, and what memory holds: decided, tried, verified, changed, and what waits for a person. Nothing is written, and the same state gives the same bytes.',
    actor: 'agent',
    output: 'text',
    readOnly: true,
    input: Type.Object({
      format: optional(choice(['markdown', 'plain', 'json'], 'How it is written. Default: markdown.')),
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [
      { command: 'dev-cli context', note: 'The first call of a session.' },
      { command: 'dev-cli context --format json', note: 'For a script.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
