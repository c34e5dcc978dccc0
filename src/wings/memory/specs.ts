import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, flag, freeText, optional, word, words } from '../../registry/values.js';

const EXITS = [0, 1, 2, 4, 130] as const;
const REFUSING_EXITS = [0, 1, 2, 3, 4, 130] as const;

/** What the next session is to know (memory.md, Commands). */
export const MEMORY_SPECS = [
  {
    name: 'memory decide',
    summary: 'Record a decision: a choice, an aim or its change, with the reason.',
    description:
      'The newest decision is the aim that the next session is told. Progress, a version bump or the result of a test is none. The same text again moves the decision to the end.',
    actor: 'agent',
    output: 'document',
    input: Type.Object({
      text: freeText('What was chosen, as one line; 400 characters are kept.'),
      reason: optional(freeText('Why; without it the next session cannot tell whether it still holds.')),
      supersedes: optional(word('The decision that this one replaces, by id: m7.', { placeholder: 'ID' })),
    }),
    exits: EXITS,
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
    actor: 'agent',
    output: 'document',
    input: Type.Object({
      text: freeText('What is to be done next, as one line.'),
      doneWhen: optional(freeText('How to tell that it is done.')),
    }),
    exits: EXITS,
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
    actor: 'agent',
    output: 'document',
    input: Type.Object({
      kind: choice(['tried', 'blocked', 'risk'], 'What it is.'),
      text: freeText('The note, as one line.'),
    }),
    exits: EXITS,
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
    actor: 'agent',
    output: 'document',
    positionals: ['path'],
    input: Type.Object({
      path: word('A file or directory of the project, relative to where the call is made.', { format: 'file' }),
      why: optional(word('Why it matters.', { placeholder: 'TEXT' })),
    }),
    exits: REFUSING_EXITS,
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
    actor: 'agent',
    output: 'document',
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
    exits: EXITS,
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
    actor: 'agent',
    output: 'document',
    input: Type.Object({ message: freeText('What it is, as one line.') }),
    exits: REFUSING_EXITS,
    examples: [
      { command: 'dev-cli memory checkpoint --message "before the new store"', note: 'A state to come back to.' },
    ],
  },
  {
    name: 'memory forget',
    summary: 'Take an entry out of memory.',
    description: 'It is not shown any more; the journal keeps it. To erase everything, remove .dev/memory.',
    actor: 'agent',
    output: 'document',
    positionals: ['id'],
    input: Type.Object({ id: word('The entry, by id: m7.') }),
    exits: EXITS,
    examples: [{ command: 'dev-cli memory forget m7', note: 'A note that does not hold any more.' }],
  },
] as const satisfies readonly CommandSpec[];
