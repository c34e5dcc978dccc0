import { Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, freeText, integer, optional, word } from '../../../registry/values.js';
import { STATUSES } from '../schemas.js';

const INBOX = { actor: 'person', output: 'text', exits: [0, 1, 2, 3, 4, 130] } as const;

/** Commands about what waits for a person (loop-operations.md, Inbox). */
export const INBOX_SPECS = [
  {
    name: 'inbox list',
    summary: 'List what waits for a person, the pressing first.',
    description:
      'Goals that were blocked, branches that could not be moved, claims that met, gates of runs. Each item has the command that resolves it, and closes by itself when its cause is gone.',
    ...INBOX,
    exclusive: [['openOnly', 'includeResolved']],
    input: Type.Object({
      openOnly: flag('Only what is open; so it is without this, too.'),
      includeResolved: flag('Also what is closed.'),
    }),
    examples: [{ command: 'dev-cli inbox list', note: 'In the morning.' }],
  },
  {
    name: 'inbox summary',
    summary: 'Count what waits for a person.',
    ...INBOX,
    input: Type.Object({ topK: optional(integer('K', 'How many items are shown. Default: 10.')) }),
    examples: [{ command: 'dev-cli inbox summary --top-k 3', note: 'The three that press most.' }],
  },
  {
    name: 'inbox act',
    summary: 'Answer an item: approve, reject, or defer it.',
    description:
      'What an answer does depends on the item: a blocked goal is approved to be tried again, with --reason in the next prompt; a gate is asked at the terminal, as `approve` does. Of two answers, the first holds. An agent answers nothing.',
    ...INBOX,
    positionals: ['id'],
    input: Type.Object({
      id: word('The item, as `inbox list` names it.', { placeholder: 'ID' }),
      action: choice(['approve', 'reject', 'defer'], 'The answer; defer leaves the item open.'),
      operator: word('Who answers.', { placeholder: 'NAME' }),
      reason: optional(freeText('Why: for the log, and for the next attempt.')),
      goalStatus: optional(choice(STATUSES, 'What the goal is to become: active with approve, blocked with reject.')),
      choice: optional(
        word('The choice of a gate, in place of the one that leads on, or stops.', { placeholder: 'C' }),
      ),
    }),
    examples: [
      {
        command:
          'dev-cli inbox act inbox-evt_0123456789abcdef01234567 --action approve --operator anna --reason "Use UTC"',
        note: 'Answer a question: the next attempt reads it.',
      },
    ],
  },
] as const satisfies readonly CommandSpec[];
