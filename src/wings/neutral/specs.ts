import { type Static, Type } from '@sinclair/typebox';
import type { OwnTool } from '../../registry/spec.js';
import { REUSE_POLICIES, TASK_STATUSES } from './words.js';

/**
 * The tools of the neutral contract (neutral.md, The tools). Their descriptions are part of every session, so each word
 * counts.
 */

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const texts = (description?: string) => Type.Array(Type.String(), description === undefined ? {} : { description });
const number = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const byAgent = (description: string) => Type.Record(Type.String(), Type.String(), { description });
const choice = <const Values extends readonly string[]>(values: Values, description?: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...(description !== undefined && { description }) });
const { Optional: optional, Object: object } = Type;

const READS = { readOnlyHint: true };
const ADDS = { destructiveHint: false };
const SETS = { destructiveHint: false, idempotentHint: true };

/** The tools, in the order in which a list of tools shows them. */
const NEUTRAL_TOOLS = [
  {
    name: 'plan_start',
    description: 'Start a plan of issues to decide. An open plan is archived first.',
    input: object({
      topic: text(),
      issues: texts('Titles of what is to be decided.'),
      research_summary: text('What is known by now, whole.'),
    }),
    annotations: ADDS,
  },
  {
    name: 'plan_status',
    description: 'Show the plan and what is still to be decided.',
    input: object({}),
    annotations: READS,
  },
  {
    name: 'plan_update',
    description: 'Add, remove, edit or reopen an issue of the plan.',
    input: object({
      action: text('add, remove, edit or reopen.'),
      issue_id: optional(number('For all but add.')),
      title: optional(text('For add and edit.')),
    }),
    annotations: ADDS,
  },
  {
    name: 'plan_decide',
    description: 'Record the decision of an issue.',
    input: object({
      issue_id: number(),
      summary: text('What was decided, and why.'),
      how_agents: optional(texts('Types of the agents that were asked.')),
      how_summary: optional(byAgent('What each said, by type.')),
      how_agent_ids: optional(byAgent('Their ids, by type.')),
    }),
    annotations: SETS,
  },
  {
    name: 'task_add',
    description: 'Add a task at the end of the list.',
    input: object({
      title: text(),
      context: text('What whoever does it has to know.'),
      deps: optional(Type.Array(Type.Integer(), { description: 'Ids of tasks that come first.' })),
      approach: optional(text()),
      acceptance: optional(text('How to tell that it is done.')),
      risk: optional(text()),
      plan_issue: optional(number('The issue that it comes from.')),
      goal: optional(text('Replaces the goal of the list.')),
      decisions: optional(texts('Added to the decisions of the list.')),
      owner: optional(text('Type of the agent to do it.')),
      owner_agent_id: optional(text()),
      owner_reuse_policy: optional(choice(REUSE_POLICIES)),
    }),
    annotations: ADDS,
  },
  {
    name: 'task_list',
    description: 'Show the tasks, and which can begin.',
    input: object({}),
    annotations: READS,
  },
  {
    name: 'task_update',
    description: 'Set the status of a task.',
    input: object({ id: number(), status: choice(TASK_STATUSES) }),
    annotations: SETS,
  },
  {
    name: 'task_close',
    description: 'Close the cycle: archive plan and tasks in the history, and remove them.',
    input: object({}),
    annotations: { destructiveHint: true },
  },
  {
    name: 'history_search',
    description: 'Search the closed cycles, newest first.',
    input: object({
      query: optional(text('Found anywhere in a cycle, in any case.')),
      last_n: optional(number('How many at most; 10 by default.')),
    }),
    annotations: READS,
  },
  {
    name: 'context',
    description: 'Show branch, goal, tasks in numbers and decisions.',
    input: object({}),
    annotations: READS,
  },
  {
    name: 'artifact_write',
    description: 'Write a file below .nexus/state/artifacts/.',
    input: object({ filename: text('Relative, with its folders.'), content: Type.String({ minLength: 0 }) }),
    annotations: { destructiveHint: true, idempotentHint: true },
  },
] as const satisfies readonly OwnTool[];

/** Events of a session, which the hooks of a harness report; they are not offered as tools. */
const NEUTRAL_EVENTS = [
  {
    name: 'session_start',
    description: 'A session begins.',
    input: object({ teams_enabled: optional(Type.Boolean()), plugin_version: optional(text()) }),
  },
  { name: 'session_end', description: 'The session ends.', input: object({}) },
  {
    name: 'agent_spawn',
    description: 'An agent is started.',
    input: object({ agent_type: text(), agent_id: text() }),
  },
  {
    name: 'agent_complete',
    description: 'An agent is done.',
    input: object({
      agent_id: text(),
      last_message: optional(text()),
      files_touched: optional(texts()),
    }),
  },
  { name: 'agent_resume', description: 'An agent goes on.', input: object({ agent_id: text() }) },
] as const satisfies readonly OwnTool[];

/** Tools and events: everything that `nexus call` accepts. */
export const NEUTRAL_CALLS: readonly OwnTool[] = [...NEUTRAL_TOOLS, ...NEUTRAL_EVENTS];

type Call = (typeof NEUTRAL_TOOLS)[number] | (typeof NEUTRAL_EVENTS)[number];

/** The name of a tool or an event. */
export type CallName = Call['name'];

/** The parameters of a tool or an event. */
export type ParamsOf<Name extends CallName> = Static<Extract<Call, { name: Name }>['input']>;
