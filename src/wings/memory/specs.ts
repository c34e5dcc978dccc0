import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../registry/spec.js';
import { choice, freeText, optional, word } from '../../registry/values.js';

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
