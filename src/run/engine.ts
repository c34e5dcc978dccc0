import { type Static, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/json.js';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import type { ReviewResult } from '../documents/results.js';
import type { WritableDraft } from './draft.js';
import { EngineStateSchema, EvidenceSchema, RulingsSchema, TodoStateSchema, TreeSchema } from './engine-rows.js';

/**
 * `engine` of state.json (storage.md, state.json; engine.md, Shape): the state machine's fields, and the data that the
 * engine needs to dispatch tasks, gather evidence and commit.
 */

const Str = Type.String();

/** How often a command was launched; present only if it was relaunched because its files had vanished. */
export const LaunchesSchema = Type.Integer();

/** A task that an agent is working on. */
const TaskSchema = Type.Object(
  {
    /** Null for a task about the whole run, that is, for the code review. */
    todoId: NullableString,
    /** The stage that the task carries out. */
    substep: Str,
    /** The todo's attempt, from 1. */
    attempt: Type.Integer(),
    issuedAt: Str,
    /** The agent's role; the harness that received the task maps it to an agent definition. */
    role: Str,
    /** What failed in the previous attempt. */
    why: Type.Optional(Str),
    /** How many results were refused for their form; the fourth counts as a failed attempt. */
    malformed: Type.Integer(),
    /** SHA-256 of the last refused result. */
    refused: Type.Optional(Str),
    /**
     * The agent was asked about changed paths that its result did not list; its next result is accepted without asking
     * again.
     */
    askedForPaths: Type.Optional(Type.Literal(true)),
  },
  noOtherKeys,
);

/**
 * The branch and commit that the run's commits build on (engine.md, Commits). A branch is null while HEAD is detached.
 */
const HeadSchema = Type.Object(
  {
    /** The branch when the first task was issued. */
    began: NullableString,
    /** The branch of the last commit. */
    branch: NullableString,
    /**
     * The commit that HEAD must contain: the run's last commit, whose trailer has the value `key`, or a commit that a
     * person accepted. If absent, the commit on which the run began.
     */
    last: Type.Optional(Type.Object({ sha: Str, key: Type.Optional(Str) }, noOtherKeys)),
  },
  noOtherKeys,
);

/** A todo or a requirement that a person changed while the plan was being carried out (living-plan.md, plan apply). */
const ChangedPartSchema = Type.Object(
  {
    at: Str,
    how: enumSchema('withdrawn', 'changed', 'added'),
    part: enumSchema('todo', 'requirement'),
    id: Str,
    /** The title of the todo or the text of the requirement; for a withdrawn part, its last title or text. */
    text: Str,
    /** An agent proposed the change and a person approved it. */
    proposed: Type.Optional(Type.Literal(true)),
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
            /** The exit code that the acceptance expects, or a list of acceptable ones. */
            exitCode: Type.Unsafe<number | number[]>({ type: ['integer', 'array'], items: { type: 'integer' } }),
            stdoutContains: Type.Optional(Str),
            stdoutLacks: Type.Optional(Str),
            /** How many earlier runners started the command and died before it ended. */
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
      /** Value of the trailer `Dev-Cli-Task`, which identifies a commit that was already made. */
      key: Str,
      message: Str,
      startedAt: Str,
      launches: Type.Optional(LaunchesSchema),
    },
    noOtherKeys,
  ),
  Type.Object(
    {
      /**
       * Updates the run's pull request: adds a comment at the start; at the end, pushes, sets the text and marks it
       * `ready`.
       */
      kind: Type.Literal('pull-request'),
      todo: Type.Null(),
      stage: Str,
      startedAt: Str,
      /** The title to set at the end; absent if the run has none. The body is in a file beside the logs. */
      title: Type.Optional(Str),
      /** The issue named in the request, to comment on at the end. */
      issue: Type.Optional(Str),
      launches: Type.Optional(LaunchesSchema),
    },
    noOtherKeys,
  ),
]);

/**
 * An acceptance that no command can check, and that the verifier or a person has found to hold. A further execution of
 * the same name need not ask about it again.
 */
const ProofSchema = Type.Object(
  {
    requirement: Str,
    /** The text of the requirement at that time. */
    text: Str,
    todo: Str,
    item: Str,
    /** The text of the acceptance at that time. */
    says: Str,
    /** The paths that the results of the todo listed. */
    listed: Type.Array(Str),
    /** When the execution ended that found the acceptance to hold. */
    at: Str,
  },
  noOtherKeys,
);

/** The facts that an execution leaves to a further execution of the same name (engine.md, A further execution). */
const LegacySchema = Type.Object(
  {
    /** The todos that were done, by this execution or an earlier one. */
    done: Type.Array(Str),
    proofs: Type.Array(ProofSchema),
    /** The work tree to which the proofs apply; null without a repository. */
    tree: nullableSchema(TreeSchema),
  },
  noOtherKeys,
);

const RunEngineSchema = Type.Object(
  {
    ...EngineStateSchema.properties,
    /** The tasks that agents are working on, by action id. */
    tasks: Type.Record(Str, TaskSchema),
    /** SHA-256 of context/plan.json, the plan that this run executes, captured when the execution began. */
    planDigest: Str,
    /**
     * Digests by which later edits of the plan are noticed. `content`: of plan-content.json when the execution began.
     * `shown`: of PLAN.md as the execution last wrote it. `told`: of the edit that an answer has already reported.
     * `refused`: of both files, without the ticks in boxes, as a person last rejected them.
     */
    planMarks: Type.Object(
      {
        content: NullableString,
        shown: NullableString,
        told: Type.Optional(Str),
        refused: Type.Optional(Str),
      },
      noOtherKeys,
    ),
    /**
     * The approval of the plan that this run executes. Null if the approval is still awaited, so that no work begins.
     * Absent if no gate ever asked about a plan of this name.
     */
    planApproved: Type.Optional(
      nullableSchema(Type.Object({ gate: Str, by: NullableString, at: Str, digest: Str }, noOtherKeys)),
    ),
    /** A person refused the commands of an earlier execution of this name and has approved none since. */
    commandsRefused: Type.Optional(Type.Boolean()),
    /** The notes of the reviewer who accepted the plan, one line each. */
    planNotes: Type.Optional(Type.Array(Str)),
    /** The approval of the acceptance commands: the digest of their list, who approved it, and the journal entry. */
    commandsApproved: nullableSchema(Type.Object({ digest: Str, by: Str, seq: Type.Integer() }, noOtherKeys)),
    /** Command results of the final verification. */
    evidence: Type.Array(EvidenceSchema),
    /**
     * All failed results of the plan's commands, including commands that a worker had dev-cli run. A command that also
     * passes on the same tree may be flaky.
     */
    reds: Type.Optional(Type.Array(EvidenceSchema)),
    /** The facts that the previous execution left to this execution; absent in the first execution of a name. */
    before: Type.Optional(LegacySchema),
    /** The facts that this execution leaves to the next; absent until it has reached its report. */
    leaves: Type.Optional(LegacySchema),
    /** Rulings on the whole execution, oldest first. */
    rulings: Type.Optional(RulingsSchema),
    /** Paths in the commit of remaining changes; absent if no such commit was made. */
    residual: Type.Optional(Type.Array(Str)),
    /** The branch and commit that the run's commits build on; absent until the first task is issued. */
    head: Type.Optional(HeadSchema),
    /** The parts of the plan that a person has changed since the execution began; absent if there are none. */
    changed: Type.Optional(Type.Array(ChangedPartSchema)),
    /** What changed the course of the execution but is recorded in no todo's row, oldest first. */
    course: Type.Optional(
      Type.Array(
        Type.Object(
          {
            at: Str,
            kind: enumSchema(
              'rejected',
              'answered',
              'widened',
              'retried',
              'halted',
              'reopened',
              'aborted',
              'changed',
              'proposed',
              'held',
              'released',
              'undone',
            ),
            text: Str,
          },
          noOtherKeys,
        ),
      ),
    ),
    /** Results of the code review, oldest first. */
    reviews: Type.Array(Type.Unsafe<ReviewResult>({ type: 'object' })),
    /** Issues still open, which the report names at the end. */
    openIssues: Type.Array(Str),
    /** The job in progress outside the transaction; null if there is none. */
    job: nullableSchema(JobSchema),
    /** Commits still to be made: todo ids, and `residual` for the commit of all remaining changes. */
    deferred: Type.Array(Str),
    /**
     * Why the last attempt at a deferred commit failed. `head`: a person can resolve it by accepting the present HEAD.
     */
    waits: Type.Optional(Type.Object({ why: Str, head: Type.Boolean() }, noOtherKeys)),
  },
  noOtherKeys,
);

const { order: _, ...members } = RunEngineSchema.properties;

/** An execution in the form that state.json stores (`encodeEngine`). */
export const StoredEngineSchema = Type.Unsafe<Static<typeof RunEngineSchema>>(
  Type.Object(
    {
      ...members,
      todos: Type.Array(Type.Omit(TodoStateSchema, ['outputs'], noOtherKeys), {
        description: 'In the order of the plan; an added todo follows the one that made it necessary.',
      }),
      outputs: Type.Record(Str, Type.Record(Str, Type.Unknown()), {
        description: 'What todos have reported, by todo.',
      }),
    },
    noOtherKeys,
  ),
);

/** An execution: `engine` of state.json, with its todos by id. */
export type RunEngine = Frozen<Static<typeof RunEngineSchema>>;
/** The writable form of an execution, for use in a transaction. */
export type EngineDraft = WritableDraft<RunEngine>;
/** A todo or a requirement that was changed while the plan was being carried out. */
export type ChangedPart = NonNullable<RunEngine['changed']>[number];
/** A task that an agent is working on. */
export type TaskState = RunEngine['tasks'][string];
/** The facts that an execution leaves to a further execution of the same name. */
export type Legacy = NonNullable<RunEngine['leaves']>;
/** A job that dev-cli does outside a transaction. */
export type EngineJob = NonNullable<RunEngine['job']>;
/** A command of the plan that is still to be run. */
export type QueuedCommand = Extract<EngineJob, { kind: 'commands' }>['queue'][number];
/** Who approved the plan, when, at which gate, and the digest of what was approved. */
export type PlanApproval = NonNullable<RunEngine['planApproved']>;
