import { type TProperties, Type } from '@sinclair/typebox';
import type { CommandSpec } from '../../../registry/spec.js';
import { choice, flag, freeText, integer, optional, word } from '../../../registry/values.js';
import { STATUSES } from '../schemas.js';
import { LOOP_ERRORS } from '../spec-errors.js';

const QUEUE = { actor: 'agent', output: 'text' } as const;

const WORKER = word('The worker that takes the goal: a name of your choice.', { placeholder: 'W' });
const MINUTES = optional(
  integer('N', 'Minutes until the claim expires, 1 to 1440 and no more than queue.max_ttl_minutes. Default: 30.'),
);
const CLAIM = {
  id: word('The id of the claim.', { placeholder: 'ID' }),
  worker: WORKER,
} satisfies TProperties;

/** Commands with which workers other than `auto` take goals (loop-operations.md, Queue). */
export const QUEUE_SPECS = [
  {
    name: 'queue claim',
    summary: 'Take a goal, so that nobody else works on it.',
    description:
      'Assigns the named goal, or the first active one that is free, in the order of `auto`. The claim expires after --ttl-minutes unless it is renewed. Pass its id to `queue renew`, `queue release` and `protocol ingest`.',
    ...QUEUE,
    input: Type.Object({
      worker: WORKER,
      goal: optional(word('The goal, by id.', { placeholder: 'GOAL' })),
      role: optional(
        word('Only a goal with this role: implement, test, verify, or another that goals have.', { placeholder: 'R' }),
      ),
      ttlMinutes: MINUTES,
      idempotencyKey: optional(
        word('A repeated call with the same key returns the same claim while it is active.', { placeholder: 'K' }),
      ),
    }),
    errors: [...LOOP_ERRORS, 'CLAIM_REFUSED'],
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
    errors: [...LOOP_ERRORS, 'CLAIM_REFUSED'],
    examples: [{ command: 'dev-cli queue renew QCLM_0123456789ab --worker w1', note: 'For half an hour more.' }],
  },
  {
    name: 'queue release',
    summary: 'Give a goal back.',
    description: 'What the worker says about the goal is kept with the claim; .ai/goals.yaml does not change.',
    ...QUEUE,
    positionals: ['id'],
    input: Type.Object({
      ...CLAIM,
      reason: optional(freeText('The reason, for the log.')),
      goalStatus: optional(choice(STATUSES, 'The status of the goal, as the worker sees it.')),
    }),
    errors: [...LOOP_ERRORS, 'DATA_MISSING', 'CLAIM_REFUSED'],
    examples: [{ command: 'dev-cli queue release QCLM_0123456789ab --worker w1', note: 'Somebody else may try.' }],
  },
  {
    name: 'queue list',
    summary: 'List the claims, active ones first.',
    ...QUEUE,
    input: Type.Object({ activeOnly: flag('Only claims that hold a goal now.') }),
    errors: LOOP_ERRORS,
    examples: [{ command: 'dev-cli queue list --active-only', note: 'Who works on what.' }],
  },
] as const satisfies readonly CommandSpec[];
