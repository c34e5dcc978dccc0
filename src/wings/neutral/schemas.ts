import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { REUSE_POLICIES, TASK_STATUSES } from './words.js';

/** The schemas of the neutral contract's files in version 0.4 (neutral.md, Files). */

const closed = { additionalProperties: false };
const Id = Type.Number({ minimum: 1 });
const Text = Type.String({ minLength: 1 });
const Instant = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}' });
const ByAgent = Type.Record(Type.String(), Type.String());
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values });

const IssueSchema = Type.Object(
  {
    id: Id,
    title: Text,
    status: oneOf(['pending', 'decided']),
    decision: optional(Type.String()),
    how_agents: optional(Type.Array(Type.String())),
    how_summary: optional(ByAgent),
    how_agent_ids: optional(ByAgent),
  },
  closed,
);

export const PlanSchema = Type.Object(
  {
    id: Id,
    topic: Text,
    issues: Type.Array(IssueSchema),
    research_summary: optional(Type.String()),
    created_at: Instant,
  },
  closed,
);

const TaskSchema = Type.Object(
  {
    id: Id,
    title: Text,
    context: Text,
    status: oneOf(TASK_STATUSES),
    deps: Type.Array(Type.Number()),
    approach: optional(Type.String()),
    acceptance: optional(Type.String()),
    risk: optional(Type.String()),
    plan_issue: optional(Type.Number()),
    owner: optional(Type.String()),
    owner_agent_id: optional(Type.String()),
    owner_reuse_policy: optional(oneOf(REUSE_POLICIES)),
    created_at: optional(Instant),
  },
  closed,
);

export const TasksSchema = Type.Object(
  { goal: Text, decisions: Type.Array(Type.String()), tasks: Type.Array(TaskSchema) },
  closed,
);

export const CycleSchema = Type.Object(
  {
    completed_at: Instant,
    branch: Text,
    plan: Type.Union([PlanSchema, Type.Null()]),
    tasks: Type.Array(TaskSchema),
  },
  closed,
);

export const TrackerSchema = Type.Array(
  Type.Object(
    {
      agent_type: Text,
      agent_id: Text,
      started_at: Instant,
      resume_count: Type.Number({ minimum: 0 }),
      status: oneOf(['running', 'completed']),
      last_resumed_at: optional(Instant),
      stopped_at: optional(Instant),
      last_message: optional(Type.String()),
      files_touched: optional(Type.Array(Type.String())),
    },
    closed,
  ),
);

export type NeutralIssue = Static<typeof IssueSchema>;
export type NeutralPlan = Static<typeof PlanSchema>;
export type NeutralTask = Static<typeof TaskSchema>;
export type NeutralTasks = Static<typeof TasksSchema>;
export type Cycle = Static<typeof CycleSchema>;
export type TrackedAgent = Static<typeof TrackerSchema>[number];
