import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import type { PlanTodo } from '../documents/plan-schema.js';
import type { ReviewResult, WorkerResult } from '../documents/results.js';
import { EngineStateSchema } from './engine-rows.js';

/**
 * `engine` of state.json (storage.md, state.json; engine.md, Shape): the machine's own fields, and next to them what its caller needs
 * to hand out tasks, to gather evidence and to commit.
 */

const Str = Type.String();

/** How often a command was launched; only where its records had vanished and it was launched again. */
export const LaunchesSchema = Type.Integer();

/** A task handed out to an agent and not taken back yet. */
const TaskSchema = Type.Object(
  {
    /** Null for a task about the whole run: the code review. */
    todoId: NullableString,
    substep: Str,
    attempt: Type.Integer(),
    issuedAt: Str,
    /** The role, as the harness that it was issued to resolves it. */
    role: Str,
    /** What failed in the attempt before. */
    why: Type.Optional(Str),
    /** Results refused for their form so far; the fourth counts as a failed attempt. */
    malformed: Type.Integer(),
    /** SHA-256 of the result that was refused last. */
    refused: Type.Optional(Str),
    /** Changed paths that its result does not list were asked for; the next one is taken as it is. */
    askedForPaths: Type.Optional(Type.Literal(true)),
  },
  noOtherKeys,
);

/** What one of dev-cli's own runs of an acceptance command, or of a recipe's own handler, came to. */
const EvidenceSchema = Type.Object(
  {
    /** The acceptance id, or the id of the stage. */
    id: Str,
    /** Of the final verification: the todo whose acceptance it is. */
    todo: Type.Optional(Str),
    attempt: Type.Integer(),
    argv: Type.Array(Str),
    ok: Type.Boolean(),
    exit: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    outcome: Str,
    at: Str,
    /** HEAD and tree digest when it ran; null without git. */
    commit: NullableString,
    tree: NullableString,
    /** Relative to the run's directory. */
    log: Str,
    reused: Type.Optional(Type.Boolean()),
    /** It could not be started, ended with 126 or 127, or was not let listen: the environment failed, not the work. */
    unrunnable: Type.Optional(Type.Boolean()),
    /** What the sandbox forbade it. */
    forbidden: Type.Optional(Type.Literal('listen')),
    durationMs: Type.Optional(Type.Number()),
  },
  noOtherKeys,
);

/** The work tree at one moment, as `baseline` of the run. */
const TreeSchema = Type.Object({ head: NullableString, dirty: Type.Record(Str, NullableString) }, noOtherKeys);

/** Where commits go (engine.md, Commits). A branch is null where HEAD is detached. */
const HeadSchema = Type.Object(
  {
    /** The branch when the first task was handed out, and the one of the last commit. */
    began: NullableString,
    branch: NullableString,
    /**
     * The commit that HEAD must contain: the run's last one with its trailer's key, or the one that a person said is right.
     * Absent: the one that the run began on.
     */
    last: Type.Optional(Type.Object({ sha: Str, key: Type.Optional(Str) }, noOtherKeys)),
  },
  noOtherKeys,
);

/** What dev-cli does outside a transaction, one at a time; it stands in the snapshot until its outcome is committed. */
const JobSchema = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('commands'),
      todo: NullableString,
      stage: Str,
      part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')),
      /** Action id under which the logs lie. */
      actionId: Str,
      /** Still to run, the first is at work: acceptance ids. */
      queue: Type.Array(
        Type.Object(
          {
            id: Str,
            /** Of final-verify: the todo whose acceptance it is. */
            todo: NullableString,
            argv: Type.Array(Str),
            cwd: Str,
            timeout: Type.Number({ description: 'Seconds.' }),
            exitCode: Type.Integer(),
            stdoutContains: Type.Optional(Str),
            /** How often it was begun before: its runner died. */
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
      /** Trailer `Dev-Cli-Task`: looked for before the commit is made. */
      key: Str,
      message: Str,
      startedAt: Str,
      launches: Type.Optional(LaunchesSchema),
    },
    noOtherKeys,
  ),
  Type.Object(
    {
      /** The pull request of the run: a comment at the start; at the end push, text, ready. */
      kind: Type.Literal('pull-request'),
      todo: Type.Null(),
      stage: Str,
      startedAt: Str,
      /** At the end: the title it gets; its body lies beside the logs. Absent where the run knows of no title. */
      title: Type.Optional(Str),
      launches: Type.Optional(LaunchesSchema),
    },
    noOtherKeys,
  ),
]);

export const RunEngineSchema = Type.Object(
  {
    ...EngineStateSchema.properties,
    tasks: Type.Record(Str, TaskSchema),
    /** Values that todos reported, by todo and name; also in context/outputs.json. */
    outputs: Type.Record(Str, Type.Record(Str, Type.Unknown())),
    /** SHA-256 of context/plan.json: the plan as this run executes it, captured when the engine began. */
    planDigest: Str,
    /**
     * What plan-content.json was when the engine began, and what PLAN.md is as the execution left it (plan-marks.ts); `told`: the
     * change of the plan that an answer has named.
     */
    planMarks: Type.Optional(
      Type.Object({ content: NullableString, shown: NullableString, told: Type.Optional(Str) }, noOtherKeys),
    ),
    /** Whole bodies of added todos. */
    bodies: Type.Record(Str, Type.Unsafe<PlanTodo>({ type: 'object' })),
    /**
     * The answer about the plan as this run executes it. Null: it is still to be given, and nothing begins. Absent: no gate
     * ever asked about a plan of this name.
     */
    planApproved: Type.Optional(
      nullableSchema(Type.Object({ gate: Str, by: NullableString, at: Str, digest: Str }, noOtherKeys)),
    ),
    /** A person has refused the commands of an earlier execution of this name, and approved none since. */
    commandsRefused: Type.Optional(Type.Boolean()),
    /** The list of acceptance commands that somebody approved: its digest, and who did. */
    commandsApproved: nullableSchema(Type.Object({ digest: Str, by: Str, seq: Type.Integer() }, noOtherKeys)),
    /** Of the last attempt, by todo; under `''` those of the final verification. */
    evidence: Type.Record(Str, Type.Array(EvidenceSchema)),
    /** The work tree before the first attempt, of todos that are not settled. */
    baselines: Type.Record(Str, nullableSchema(TreeSchema)),
    /** Changed outside every todo's globs, and listed by this todo's result. */
    charged: Type.Record(Str, Type.Array(Str)),
    /** What the results of all its attempts list as changed, by todo; relative to the work tree. Absent: nobody listed any. */
    listed: Type.Optional(Type.Record(Str, Type.Array(Str))),
    /** The same of what they say is somebody else's. */
    notMine: Type.Optional(Type.Record(Str, Type.Array(Str))),
    /** Where the run's commits go; absent until its first task is out. */
    head: Type.Optional(HeadSchema),
    /** By todo: what its commits hold; under `residual` the commit of what remained. Absent: no commit was seen to be made. */
    committed: Type.Optional(Type.Record(Str, Type.Array(Str))),
    /** By todo, in all its attempts: what agents of the recipe's own handlers came to. */
    verdicts: Type.Optional(
      Type.Record(
        Str,
        Type.Array(Type.Object({ stage: Str, attempt: Type.Integer(), status: Str, summary: Str }, noOtherKeys)),
      ),
    ),
    /** What happened on the way and no row shows, in order. */
    course: Type.Optional(
      Type.Array(
        Type.Object(
          { at: Str, kind: enumSchema('rejected', 'answered', 'widened', 'halted', 'reopened', 'aborted'), text: Str },
          noOtherKeys,
        ),
      ),
    ),
    /** What each worker said of its work, in a line. */
    summaries: Type.Record(Str, Str),
    /** What the workers of unsettled todos handed in last. */
    reports: Type.Record(Str, Type.Unsafe<WorkerResult>({ type: 'object' })),
    /** What did not hold in the attempt before, one line each, of todos that are attempted again. */
    failures: Type.Record(Str, Type.Array(Str)),
    /** What a person answered to questions of workers, by todo. */
    answers: Type.Record(Str, Type.Array(Type.Object({ question: Str, answer: Str }, noOtherKeys))),
    /** What was ruled when todos were reopened, by todo; under `''` rulings on the whole execution. */
    rulings: Type.Optional(Type.Record(Str, Type.Array(Type.Object({ text: Str, at: Str }, noOtherKeys)))),
    reviews: Type.Array(Type.Unsafe<ReviewResult>({ type: 'object' })),
    /** What stays open and must be told at the end. */
    openIssues: Type.Array(Str),
    job: nullableSchema(JobSchema),
    /** Commits that could not be made yet: todo ids, and `residual` for the one of all that remains. */
    deferred: Type.Array(Str),
    /** What kept the last of them from being made, as last tried; `head`: a person may say that HEAD is right. */
    waits: Type.Optional(Type.Object({ why: Str, head: Type.Boolean() }, noOtherKeys)),
  },
  noOtherKeys,
);

export type RunEngine = Static<typeof RunEngineSchema>;
export type TaskState = Static<typeof TaskSchema>;
export type CommandEvidence = Static<typeof EvidenceSchema>;
export type EngineJob = Static<typeof JobSchema>;
/** A command of the plan that is still to be run. */
export type QueuedCommand = Extract<EngineJob, { kind: 'commands' }>['queue'][number];
export type PlanApproval = NonNullable<RunEngine['planApproved']>;
