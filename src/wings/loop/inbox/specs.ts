import { Type } from '@sinclair/typebox';
import { DECISION_ERRORS } from '../../../registry/endings.js';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, freeText, integer, optional, word } from '../../../registry/values.js';
import { STATUSES } from '../schemas.js';
import { LOOP_ERRORS } from '../spec-errors.js';

const INBOX = { actor: 'person', output: 'text' } as const;

/** Commands about the items that wait for a person (loop-operations.md, Inbox). */
export const INBOX_SPECS = [
  {
    name: 'inbox list',
    summary: 'List what waits for a person, the most urgent first.',
    description:
      'Lists blocked goals, branches that could not be moved, conflicting claims, and gates of runs. Each item has the command that resolves it, and closes by itself once its cause is gone.',
    ...INBOX,
    exclusive: [['openOnly', 'includeResolved']],
    input: Type.Object({
      openOnly: flag('Only open items. This is the default.'),
      includeResolved: flag('Also closed items.'),
    }),
    errors: LOOP_ERRORS,
    examples: [{ command: 'dev-cli inbox list', note: 'In the morning.' }],
  },
  {
    name: 'inbox summary',
    summary: 'Count what waits for a person.',
    ...INBOX,
    input: Type.Object({ topK: optional(integer('K', 'How many items to show. Default: 10.')) }),
    errors: LOOP_ERRORS,
    examples: [{ command: 'dev-cli inbox summary --top-k 3', note: 'The three most urgent.' }],
  },
  {
    name: 'inbox act',
    summary: 'Answer an item: approve, reject, or defer it.',
    description:
      'What an answer does depends on the item: approving a blocked goal has it tried again, with --reason in the next prompt; a gate is answered at the terminal, as with `approve`. The first of two answers counts. An agent cannot answer.',
    ...INBOX,
    positionals: ['id'],
    input: Type.Object({
      id: word('The item, as `inbox list` names it.', { placeholder: 'ID' }),
      action: choice(['approve', 'reject', 'defer'], 'The answer; defer leaves the item open.'),
      operator: word('Who answers.', { placeholder: 'NAME' }),
      reason: optional(freeText('Why: for the log, and for the next attempt.')),
      goalStatus: optional(choice(STATUSES, 'The new status of the goal: active with approve, blocked with reject.')),
      choice: optional(
        word('The choice at a gate. Default: with approve the one that leads on, with reject the one that stops.', {
          placeholder: 'C',
        }),
      ),
    }),
    errors: [...DECISION_ERRORS, ...LOOP_ERRORS, 'INBOX_REFUSED'],
    examples: [
      {
        command:
          'dev-cli inbox act inbox-evt_0123456789abcdef01234567 --action approve --operator anna --reason "Use UTC"',
        note: 'Answer a question: the next attempt reads it.',
      },
    ],
  },
] as const satisfies readonly CommandSpec[];
