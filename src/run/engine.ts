import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import type { PlanTodo } from '../documents/plan-schema.js';
import type { ReviewResult, WorkerResult } from '../documents/results.js';
import { EngineStateSchema } from './engine-rows.js';

/**
 * `engine` of state.json (storage.md, state.json; engine.md, Shape): the machine's fields, and what the engine needs
 * to dispatch tasks, gather evidence and commit.
 */

const Str = Type.String();

/** How often a command was launched; present only if it was launched again because its records had vanished. */
export const LaunchesSchema = Type.Integer();

/** A task that an agent is working on. */
const TaskSchema = Type.Object(
  {
    /** Null for a task about the whole run: the code review. */
    todoId: NullableString,
    /** The stage that the task carries out. */
    substep: Str,
    /** The todo's attempt, from 1. */
    attempt: Type.Integer(),
    issuedAt: Str,
    /** The agent's role, as the harness that received the task resolves it. */
    role: Str,
    /** What failed in the previous attempt. */
    why: Type.Optional(Str),
    /** How many results were refused for their form; the fourth counts as a failed attempt. */
    malformed: Type.Integer(),
    /** SHA-256 of the last refused result. */
    refused: Type.Optional(Str),
    /** The agent was asked about changed paths that its result did not list; its next result is accepted as it is. */
    askedForPaths: Type.Optional(Type.Literal(true)),
  },
  noOtherKeys,
);

/** The result of an acceptance command that dev-cli ran, or of a handler that the recipe defines. */
const EvidenceSchema = Type.Object(
  {
    /** Id of the acceptance or of the stage. */
    id: Str,
    /** In the final verification: the todo that the acceptance belongs to. */
    todo: Type.Optional(Str),
    attempt: Type.Integer(),
    argv: Type.Array(Str),
    ok: Type.Boolean(),
    /** Exit code; null if the command ended without one. */
    exit: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    outcome: Str,
    at: Str,
    /** HEAD when the command ran; null without git. `tree`: the digest of the work tree then. */
    commit: NullableString,
    tree: NullableString,
    /** Path of the output, relative to the run's directory. */
    log: Str,
    /** The result of an earlier run of the command was used again. */
    reused: Type.Optional(Type.Boolean()),
    /** The environment failed, not the work: the command did not start, exited with 126 or 127, or could not listen. */
    unrunnable: Type.Optional(Type.Boolean()),
    /** What the sandbox denied the command. */
    forbidden: Type.Optional(Type.Literal('listen')),
    durationMs: Type.Optional(Type.Number()),
  },
  noOtherKeys,
);

/** The work tree at one moment, in the form of the run's `baseline`. */
const TreeSchema = Type.Object({ head: NullableString, dirty: Type.Record(Str, NullableString) }, noOtherKeys);

/** Where commits go (engine.md, Commits). A branch is null while HEAD is detached. */
const HeadSchema = Type.Object(
  {
    /** The branch when the first task was issued. */
    began: NullableString,
    /** The branch of the last commit. */
    branch: NullableString,
    /**
     * The commit that HEAD must contain: the run's last one, with the key in its trailer, or one a person confirmed.
     * Absent: the commit that the run began on.
     */
    last: Type.Optional(Type.Object({ sha: Str, key: Type.Optional(Str) }, noOtherKeys)),
  },
  noOtherKeys,
);

/** The one job that dev-cli does outside a transaction; it stays in the snapshot until its outcome is committed. */
const JobSchema = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('commands'),
      todo: NullableString,
      stage: Str,
      part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')),
      /** Id of the action whose directory holds the logs. */
      actionId: Str,
      /** The commands still to run, one per acceptance; the first is running. */
      queue: Type.Array(
        Type.Object(
          {
            id: Str,
            /** In the final verification: the todo that the acceptance belongs to. */
            todo: NullableString,
            argv: Type.Array(Str),
            cwd: Str,
            timeout: Type.Number({ description: 'Seconds.' }),
            /** The exit code that the acceptance expects. */
            exitCode: Type.Integer(),
            stdoutContains: Type.Optional(Str),
            /** How often the command was started before by a runner that died. */
            again: Type.Optional(Type.Integer()),
          },
          noOtherKeys,
        ),
      ),
    },
    noOtherKeys,
  ),
  Type.Object(
    {
      kind: Type.Literal('commit'),
      todo: NullableString,
      stage: Str,
      /** Value of the trailer `Dev-Cli-Task`, by which a commit that was already made is found. */
      key: Str,
      message: Str,
      startedAt: Str,
      launches: Type.Optional(LaunchesSchema),
    },
    noOtherKeys,
  ),
  Type.Object(
    {
      /** Updates the run's pull request: a comment at the start; push, text and `ready` at the end. */
      kind: Type.Literal('pull-request'),
      todo: Type.Null(),
      stage: Str,
      startedAt: Str,
      /** The title to set at the end; absent if the run has none. The body lies beside the logs. */
      title: Type.Optional(Str),
      launches: Type.Optional(LaunchesSchema),
    },
    noOtherKeys,
  ),
]);

export const RunEngineSchema = Type.Object(
  {
    ...EngineStateSchema.properties,
    /** The tasks that agents are working on, by action id. */
    tasks: Type.Record(Str, TaskSchema),
    /** Values that todos reported, by todo id and name; also in context/outputs.json. */
    outputs: Type.Record(Str, Type.Record(Str, Type.Unknown())),
    /** SHA-256 of context/plan.json, the plan that this run executes, captured when the execution began. */
    planDigest: Str,
    /**
     * Digests that reveal a later edit of the plan: `content`, plan-content.json when the execution began; `shown`,
     * PLAN.md as the execution last wrote it; `told`, the edit that an answer has already reported.
     */
    planMarks: Type.Optional(
      Type.Object({ content: NullableString, shown: NullableString, told: Type.Optional(Str) }, noOtherKeys),
    ),
    /** The added todos in full, by id. */
    bodies: Type.Record(Str, Type.Unsafe<PlanTodo>({ type: 'object' })),
    /**
     * The approval of the plan that this run executes. Null: awaited, nothing begins before. Absent: no gate ever
     * asked about a plan of this name.
     */
    planApproved: Type.Optional(
      nullableSchema(Type.Object({ gate: Str, by: NullableString, at: Str, digest: Str }, noOtherKeys)),
    ),
    /** A person refused the commands of an earlier execution of this name and has approved none since. */
    commandsRefused: Type.Optional(Type.Boolean()),
    /** The approval of the acceptance commands: the digest of their list, by whom, and the journal entry. */
    commandsApproved: nullableSchema(Type.Object({ digest: Str, by: Str, seq: Type.Integer() }, noOtherKeys)),
    /** Command results of the last attempt, by todo id; under `''` those of the final verification. */
    evidence: Type.Record(Str, Type.Array(EvidenceSchema)),
    /** The work tree before the first attempt of each unsettled todo. */
    baselines: Type.Record(Str, nullableSchema(TreeSchema)),
    /** By todo id: changed paths that no todo's globs cover and that this todo's result lists. */
    charged: Type.Record(Str, Type.Array(Str)),
    /** By todo id: paths that the results of all attempts list as changed, relative to the work tree. */
    listed: Type.Optional(Type.Record(Str, Type.Array(Str))),
    /** By todo id: paths that the results of all attempts attribute to somebody else. */
    notMine: Type.Optional(Type.Record(Str, Type.Array(Str))),
    /** Where the run's commits go; absent until its first task is issued. */
    head: Type.Optional(HeadSchema),
    /** Paths in each todo's commits, by todo id; `residual` is the commit of what remained. Absent: no commit yet. */
    committed: Type.Optional(Type.Record(Str, Type.Array(Str))),
    /** By todo id, over all attempts: the verdicts of agents that the recipe's own handlers dispatched. */
    verdicts: Type.Optional(
      Type.Record(
        Str,
        Type.Array(Type.Object({ stage: Str, attempt: Type.Integer(), status: Str, summary: Str }, noOtherKeys)),
      ),
    ),
    /** Events of the execution that no todo records, oldest first. */
    course: Type.Optional(
      Type.Array(
        Type.Object(
          { at: Str, kind: enumSchema('rejected', 'answered', 'widened', 'halted', 'reopened', 'aborted'), text: Str },
          noOtherKeys,
        ),
      ),
    ),
    /** By todo id: the worker's one-line summary. */
    summaries: Type.Record(Str, Str),
    /** By id of an unsettled todo: its worker's last result. */
    reports: Type.Record(Str, Type.Unsafe<WorkerResult>({ type: 'object' })),
    /** By id of a todo being retried: what failed in the previous attempt, one line each. */
    failures: Type.Record(Str, Type.Array(Str)),
    /** By todo id: a person's answers to the worker's questions. */
    answers: Type.Record(Str, Type.Array(Type.Object({ question: Str, answer: Str }, noOtherKeys))),
    /** By todo id: the rulings given when the todo was reopened; under `''` those on the whole execution. */
    rulings: Type.Optional(Type.Record(Str, Type.Array(Type.Object({ text: Str, at: Str }, noOtherKeys)))),
    /** Results of the code review, oldest first. */
    reviews: Type.Array(Type.Unsafe<ReviewResult>({ type: 'object' })),
    /** Issues that remain open and are reported at the end. */
    openIssues: Type.Array(Str),
    /** The job in progress outside the transaction; null if there is none. */
    job: nullableSchema(JobSchema),
    /** Commits still to be made: todo ids, and `residual` for the commit of all that remains. */
    deferred: Type.Array(Str),
    /** Why the last attempt at a deferred commit failed; `head`: a person may confirm that HEAD is right. */
    waits: Type.Optional(Type.Object({ why: Str, head: Type.Boolean() }, noOtherKeys)),
  },
  noOtherKeys,
);

/** `engine` of state.json. */
export type RunEngine = Static<typeof RunEngineSchema>;
/** A task that an agent is working on. */
export type TaskState = Static<typeof TaskSchema>;
/** The result of one command. */
export type CommandEvidence = Static<typeof EvidenceSchema>;
/** A job that dev-cli does outside a transaction. */
export type EngineJob = Static<typeof JobSchema>;
/** A command of the plan that is still to be run. */
export type QueuedCommand = Extract<EngineJob, { kind: 'commands' }>['queue'][number];
/** Who approved the plan, when, at which gate, and the digest of what was approved. */
export type PlanApproval = NonNullable<RunEngine['planApproved']>;
