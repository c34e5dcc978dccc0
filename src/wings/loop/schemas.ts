import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys } from '../../base/schema.js';

/**
 * Schemas of `.ai/config.yaml` and `.ai/goals.yaml`, which people write (loop-core.md, Files). Each description also
 * says how to correct a value.
 */

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const text = (description: string) => Type.String({ pattern: '\\S', description });
const texts = (description: string) => Type.Array(Type.String({ pattern: '\\S' }), { description });
/** A positive number. The minimum 0.001 stands for "more than 0"; the maximum keeps timers within range. */
const amount = (description: string) => Type.Number({ minimum: 0.001, maximum: 1_000_000, description });
const minutes = (description: string) => Type.Integer({ minimum: 1, maximum: 1_440, description });
const rate = (what: string) => Type.Number({ minimum: 0, maximum: 1, description: `The share ${what}, from 0 to 1.` });
const count = (description: string) => Type.Integer({ minimum: 1, description });
const TOOL_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$';
/** A git reference that cannot be mistaken for an option. */
const REF = '^[A-Za-z0-9_][^\\s:~^?*\\[\\\\]*$';
const ONE_PLACE = 'with exactly one of {prompt}, {prompt_file} and {stdin}';

export const LoopConfigSchema = Type.Object(
  {
    test_command: text('A line for sh that runs all tests and exits 0 when they pass.'),
    ai_tool: text(`The command line that starts an agent, ${ONE_PLACE}.`),
    ai_tools: optional(
      Type.Record(Type.String({ pattern: TOOL_NAME }), text(`A command line, ${ONE_PLACE}.`), {
        ...noOtherKeys,
        description: 'Further tools by name, for --tool and for `tool` of a goal.',
      }),
    ),
    timeout_minutes: optional(amount('Minutes that a session may take; more than 0.')),
    test_timeout_minutes: optional(amount('Minutes that a run of the tests may take; more than 0.')),
    max_retries: optional(count('How often a goal is tried in total; at least once.')),
    worktree_setup: optional(texts('Lines for sh that make a new work tree ready, such as an install.')),
    worktree_copy: optional(texts('Paths from the root to copy into a new work tree although git ignores them.')),
    protected_paths: optional(texts('Globs of files that no attempt may change.')),
    backoff_minutes: optional(
      Type.Array(amount('Minutes; more than 0.'), {
        description: 'Minutes to wait after each failure of a tool, one by one; then the batch ends.',
      }),
    ),
    limits: optional(
      Type.Object(
        {
          minutes: optional(amount('Minutes that a batch may take; more than 0.')),
          sessions: optional(count('Sessions that a batch may start; at least one.')),
          failures_in_a_row: optional(count('Failed attempts in a row after which a batch ends; at least one.')),
          cost_usd: optional(amount('Dollars that a batch may spend, as far as `cost` tells them; more than 0.')),
        },
        {
          ...noOtherKeys,
          description: 'When a batch ends, even if goals are left: {minutes, sessions, failures_in_a_row, cost_usd}.',
        },
      ),
    ),
    fleet: optional(
      Type.Object(
        {
          project: Type.String({ pattern: TOOL_NAME, description: 'What all machines call this project.' }),
          remote: optional(
            Type.String({ pattern: REF, description: 'The git remote that all machines share. Default: origin.' }),
          ),
          onto: optional(
            Type.String({
              pattern: REF,
              description: 'The branch that gets the commits. Default: the one checked out at the desk.',
            }),
          ),
        },
        { ...noOtherKeys, description: 'That many machines work at the goals: {project, remote, onto}.' },
      ),
    ),
    observe: optional(
      Type.Object(
        {
          min_goal_runs: optional(
            Type.Integer({ minimum: 0, description: 'Goals that must have been worked on; a whole number.' }),
          ),
          min_first_pass_success_rate: optional(rate('at least that are done at the first attempt')),
          max_block_rate: optional(rate('at most that end blocked')),
          max_security_incident_rate: optional(rate('at most that changed files they must not change')),
          max_claim_collision_rate: optional(rate('of claims at most that another worker took first')),
          max_mttr_minutes: optional(
            amount('Minutes at most from a failure to the next success, on average; more than 0.'),
          ),
        },
        { ...noOtherKeys, description: 'When `observe baseline` calls the loop ready.' },
      ),
    ),
    cost: optional(
      Type.String({
        pattern: '^/',
        description: 'A JSON pointer, such as /total_cost_usd, into the last line that a session prints.',
      }),
    ),
    max_context_bytes: optional(count('Bytes that the context of a session may have.')),
    queue: optional(
      Type.Object(
        {
          ttl_minutes: optional(minutes('Minutes until a claim expires; 1 to 1440.')),
          max_ttl_minutes: optional(minutes('Minutes that a worker may ask for; 1 to 1440.')),
          per_worker: optional(count('Goals that a worker may have at once; at least one.')),
        },
        { ...noOtherKeys, description: 'How workers take goals: {ttl_minutes, max_ttl_minutes, per_worker}.' },
      ),
    ),
  },
  { ...noOtherKeys, $id: 'loop-config', description: 'How goals are worked on: .ai/config.yaml.' },
);

/** The content of `.ai/config.yaml`, without defaults. */
export type LoopConfigFile = Static<typeof LoopConfigSchema>;

export const STATUSES = ['pending', 'active', 'done', 'blocked', 'dropped'] as const;
export type GoalStatus = (typeof STATUSES)[number];

const GoalSchema = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$',
      description:
        'An id has 1 to 48 letters, digits, ".", "_" and "-", and begins with a letter or digit; put a number in quotes.',
    }),
    title: text('What will be true when the goal is reached, in one line.'),
    status: Type.Unsafe<GoalStatus>({ ...enumSchema(...STATUSES), description: 'Only `active` goals are worked on.' }),
    blocked_reason: optional(Type.String({ description: 'Why it is blocked; dev-cli writes it.' })),
    expect_failure: optional(
      Type.Boolean({ description: 'The tests must fail afterwards: the goal writes tests of what is still missing.' }),
    ),
    allowed_changes: optional(texts('Globs of what an attempt may change; without it, everything.')),
    prompt_mode: optional(
      Type.Unsafe<'adversarial'>({
        ...enumSchema('adversarial'),
        description: 'Has the agent look for faults in the existing code.',
      }),
    ),
    mode: optional(
      Type.Unsafe<'interactive'>({ ...enumSchema('interactive'), description: 'For a person: never run.' }),
    ),
    tool: optional(Type.String({ pattern: TOOL_NAME, description: 'A name among `ai_tools` of .ai/config.yaml.' })),
    depends_on: optional(texts('Ids of goals that must be done before.')),
    recipe: optional(text('The recipe or workflow that carries out the goal.')),
    set: optional(
      Type.Record(Type.String(), Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }), {
        description: 'Vars and preferences of the recipe.',
      }),
    ),
    acceptance: optional(
      Type.Array(
        Type.Union([
          Type.String({ pattern: '\\S' }),
          Type.Object({ run: text('A line for sh that exits 0 when the goal is reached.') }, noOtherKeys),
        ]),
        { description: 'When the goal is reached: sentences, and {run: line for sh}.' },
      ),
    ),
    type: optional(
      Type.String({
        pattern: '^[a-z][a-z0-9-]{0,19}$',
        description: 'The type of its commit, such as feat, fix or test.',
      }),
    ),
    max_retries: optional(count('How often this goal is tried in total; at least once.')),
    uncertainty: optional(
      Type.Unsafe<'low' | 'medium' | 'high'>({
        ...enumSchema('low', 'medium', 'high'),
        description: 'A goal of high uncertainty waits for a decision.',
      }),
    ),
    decision_file: optional(text('The file of the decision that it waits for, from the root.')),
    phase: optional(text('The phase that it belongs to.')),
    role: optional(text('The role that works on it.')),
    children: optional(
      Type.Array(Type.Unsafe<object>({ type: 'object' }), {
        description: 'Goals that it is divided into, of the same form; such a goal is never run itself.',
      }),
    ),
  },
  { ...noOtherKeys, description: 'A goal is an object with `id`, `title` and `status`.' },
);

/** A goal as the file contains it, without defaults. */
export type GoalFile = Static<typeof GoalSchema>;

export const LoopGoalsSchema = Type.Object(
  { goals: Type.Array(GoalSchema, { description: 'A list of goals.' }) },
  { ...noOtherKeys, $id: 'loop-goals', description: 'The goals to work on: .ai/goals.yaml.' },
);
