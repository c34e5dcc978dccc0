import { type TProperties, Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, freeText, integer, optional, word } from '../../../registry/values.js';
import { STATUSES } from '../schemas.js';

const QUEUE = { actor: 'agent', output: 'text', exits: [0, 1, 2, 3, 4, 130] } as const;

const WORKER = word('Who takes the goal: a name of your own.', { placeholder: 'W' });
const MINUTES = optional(
  integer('N', 'Minutes until the claim is over, 1 to 1440 and no more than queue.max_ttl_minutes. Default: 30.'),
);
const CLAIM = {
  id: word('The claim, as it was given.', { placeholder: 'ID' }),
  worker: WORKER,
} satisfies TProperties;

/** Commands with which workers other than `auto` take goals (loop-operations.md, Queue). */
export const QUEUE_SPECS = [
  {
    name: 'queue claim',
    summary: 'Take a goal, so that nobody else works on it.',
    description:
      'Gives the first active goal that is free, in the order of `auto`, or the named one. The claim is over after --ttl-minutes, unless it is renewed; its id is what `queue renew`, `queue release` and `protocol ingest` ask for.',
    ...QUEUE,
    input: Type.Object({
      worker: WORKER,
      goal: optional(word('The goal, by id.', { placeholder: 'GOAL' })),
      role: optional(
        word('Only a goal of this role: implement, test, verify, or what goals say.', { placeholder: 'R' }),
      ),
      ttlMinutes: MINUTES,
      idempotencyKey: optional(
        word('Repeated with the same key, the call gives the same claim while that is active.', { placeholder: 'K' }),
      ),
    }),
    examples: [
      { command: 'dev-cli queue claim --worker w1 --json', note: 'The next goal, for a program.' },
      { command: 'dev-cli queue claim --worker anna --goal login-form --ttl-minutes 120', note: 'By hand.' },
    ],
  },
  {
    name: 'queue renew',
    summary: 'Keep a claim for longer.',
    ...QUEUE,
    positionals: ['id'],
    input: Type.Object({ ...CLAIM, ttlMinutes: MINUTES }),
    examples: [{ command: 'dev-cli queue renew QCLM_0123456789ab --worker w1', note: 'Half an hour more.' }],
  },
  {
    name: 'queue release',
    summary: 'Give a goal back.',
    description: 'What the worker says of the goal is kept with the claim; .ai/goals.yaml is not touched.',
    ...QUEUE,
    positionals: ['id'],
    input: Type.Object({
      ...CLAIM,
      reason: optional(freeText('Why, for whoever reads the log.')),
      goalStatus: optional(choice(STATUSES, 'What became of the goal, as the worker sees it.')),
    }),
    examples: [{ command: 'dev-cli queue release QCLM_0123456789ab --worker w1', note: 'Somebody else may try.' }],
  },
  {
    name: 'queue list',
    summary: 'List the claims, active ones first.',
    ...QUEUE,
    input: Type.Object({ activeOnly: flag('Only those that hold a goal now.') }),
    examples: [{ command: 'dev-cli queue list --active-only', note: 'Who works on what?' }],
  },
] as const satisfies readonly CommandSpec[];
