import { type TProperties, Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../base/errors.js';
import type { CommandSpec } from '../../registry/spec.js';
import { flag, freeText, integer, optional, word } from '../../registry/values.js';
import { DECISION_SPECS } from './decisions/specs.js';
import { EVENT_SPECS } from './events/specs.js';
import { EXPLORE_SPECS } from './explore/specs.js';
import { INBOX_SPECS } from './inbox/specs.js';
import { PACKET_SPECS } from './packets/specs.js';
import { QUEUE_SPECS } from './queue/specs.js';
import { LOOP_ERRORS } from './spec-errors.js';

/** What `auto` and `retry` may end with before they begin. */
const BATCH_ERRORS = [
  ...LOOP_ERRORS,
  'COMMAND_FAILED',
  'UNKNOWN_RECIPE',
  'IDENTITY_MISSING',
  'RECIPE_INVALID',
  'RECIPE_UNTRUSTED',
  'PREFERENCES_INVALID',
  'NEEDS_MISSING',
  'TERMINAL_REQUIRED',
  'GOAL_REFUSED',
  'TOOL_MISSING',
  'CONFIG_UNTRUSTED',
  'TREE_DIRTY',
] as const satisfies readonly ErrorCode[];
const SHOWS = { actor: 'person', output: 'text', readOnly: true } as const;
const WORKS = { actor: 'person', output: 'text', windsDown: true } as const;

/** Options of every command that starts sessions. */
const START = {
  tool: optional(word('The tool to use instead of the goal’s own, by its name in ai_tools.', { placeholder: 'NAME' })),
  onto: optional(
    word('The branch that gets the commits; a new one is created at HEAD. Default: the one checked out.', {
      placeholder: 'BRANCH',
    }),
  ),
  dirty: flag('Begin despite uncommitted changes; attempts see only what is committed.'),
  trust: optional(
    word('Trust the commands of this digest for this call, as `auto --dry-run` prints it: for cron and CI.', {
      placeholder: 'DIGEST',
    }),
  ),
} satisfies TProperties;

/**
 * Commands that work on goals unattended, and commands with which people and other programs direct this work
 * (loop-core.md, Commands).
 */
export const LOOP_SPECS = [
  {
    name: 'auto',
    summary:
      'Work through goals: each with fresh sessions, a work tree of its own, tests run by dev-cli, and one commit.',
    description:
      'Each goal of .ai/goals.yaml is worked on by sessions of the tool that .ai/config.yaml names, in a work tree of its own; dev-cli runs the tests itself, and puts accepted work on the branch as one commit. Failed work is kept as an attempt and tried again. Without GOAL, works on the goal that `context` names; with --recursive, on all active goals, or those below GOAL. The next call continues one that was cut off.',
    ...WORKS,
    positionals: ['goal'],
    input: Type.Object({
      goal: optional(word('The goal, by id.', { placeholder: 'GOAL' })),
      recursive: flag('Also the active goals below it; without GOAL, all of them.'),
      dryRun: flag('Only show the goals in order, the tool, and the digest of the commands; write nothing.'),
      dryRunFull: flag('The same, with the full prompts.'),
      fleet: flag('Have the workers of the fleet do it; this root is its desk.'),
      explain: flag('Print each verdict with the facts behind it to standard error.'),
      parallel: optional(integer('N', 'How many attempts to run at once, 1 to 32. Default: 1; with --fleet, 32.')),
      ...START,
    }),
    exclusive: [
      ['dryRun', 'dryRunFull'],
      ['fleet', 'dirty'],
      ['fleet', 'trust'],
    ],
    errors: [...BATCH_ERRORS, 'PLAN_MISSING', 'CONTEXT_TOO_LARGE'],
    exitOfNo: 1,
    examples: [
      { command: 'dev-cli auto --dry-run --recursive', note: 'What would be done, in which order.' },
      { command: 'dev-cli auto --recursive --parallel 2', note: 'Overnight: all active goals, two at a time.' },
      { command: 'dev-cli auto login-form --onto night', note: 'One goal, onto a branch of its own.' },
    ],
  },
  {
    name: 'retry',
    summary: 'Try a blocked goal again, with a note from you.',
    description: 'The goal becomes active and is worked on as with `auto`. A refused start changes nothing.',
    ...WORKS,
    positionals: ['goal'],
    input: Type.Object({
      goal: word('The goal, by id.', { placeholder: 'GOAL' }),
      note: optional(freeText('What the next attempts should know: an answer or a hint.')),
      continue: flag('Start from what the last attempt left instead of from the branch.'),
      explain: flag('Print each verdict with the facts behind it to standard error.'),
      ...START,
    }),
    errors: [...BATCH_ERRORS, 'DATA_MISSING'],
    exitOfNo: 1,
    examples: [
      { command: 'dev-cli retry login-form --note "Use the session cookie, no token"', note: 'Answer its question.' },
      { command: 'dev-cli retry login-form --continue', note: 'Start from its last attempt.' },
    ],
  },
  {
    name: 'observe',
    summary: 'Show the state of the loop: batch, goals, attempts, what waits.',
    description: 'Shows each goal and why it runs or does not. Writes nothing.',
    ...SHOWS,
    input: Type.Object({}),
    errors: LOOP_ERRORS,
    examples: [{ command: 'dev-cli observe', note: 'In the morning.' }],
  },
  ...EVENT_SPECS,
  ...INBOX_SPECS,
  {
    name: 'attempt list',
    summary: 'List the attempts that were kept.',
    ...SHOWS,
    positionals: ['goal'],
    input: Type.Object({ goal: optional(word('Only those of this goal.', { placeholder: 'GOAL' })) }),
    errors: LOOP_ERRORS,
    examples: [{ command: 'dev-cli attempt list login-form', note: 'What was tried for a goal.' }],
  },
  {
    name: 'attempt show',
    summary: 'Show an attempt: verdict, prompt, logs, and how to see and apply its changes.',
    ...SHOWS,
    positionals: ['id'],
    input: Type.Object({ id: word('The attempt, as GOAL#N.', { placeholder: 'ID' }) }),
    errors: LOOP_ERRORS,
    examples: [{ command: 'dev-cli attempt show login-form#2', note: 'Why the second attempt failed.' }],
  },
  {
    name: 'attempt prune',
    summary: 'Remove old attempts of goals that are done or dropped.',
    actor: 'person',
    output: 'text',
    errors: [...LOOP_ERRORS, 'TERMINAL_REQUIRED'],
    input: Type.Object({ days: integer('N', 'Only attempts that ended at least N days ago.') }),
    examples: [{ command: 'dev-cli attempt prune --days 30', note: 'Keep a month.' }],
  },
  ...QUEUE_SPECS,
  ...EXPLORE_SPECS,
  ...DECISION_SPECS,
  ...PACKET_SPECS,
] as const satisfies readonly CommandSpec[];
