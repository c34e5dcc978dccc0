import { type Static, Type } from '@sinclair/typebox';
import { enumSchema } from '../../../base/schema.js';

/**
 * The schema of `.ai/decisions/ID.yaml`, which people write (loop-operations.md, Decisions). Each description also says
 * how to correct a value.
 */

/** An id. Its pattern is the same as for the ids of goals, because it also becomes part of a reference's name. */
const id = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$',
  description:
    'An id has 1 to 48 letters, digits, ".", "_" and "-", and begins with a letter or digit; put a number in quotes.',
});
const text = (description: string) => Type.String({ pattern: '\\S', description });

export const DecisionSchema = Type.Object(
  {
    decision_id: id,
    goal_id: text('The goal of .ai/goals.yaml that waits for it, by id.'),
    question: text('What is to be decided.'),
    status: Type.Unsafe<'proposed' | 'accepted'>({
      ...enumSchema('proposed', 'accepted'),
      description: 'Whether the decision is made.',
    }),
    alternatives: Type.Array(Type.Object({ id, approach: text('How it would be done, for the worker who does it.') }), {
      minItems: 2,
      description: 'The choices: two or more, each with `id` and `approach`.',
    }),
    selected: Type.Optional(Type.String({ description: 'The id of the alternative that was chosen.' })),
    evidence_refs: Type.Optional(Type.Array(Type.String(), { description: 'References to the evidence, as a list.' })),
  },
  { $id: 'loop-decision', description: 'A question with its alternatives: .ai/decisions/ID.yaml.' },
);

/** A ticket as its file contains it. */
export type Ticket = Static<typeof DecisionSchema>;
