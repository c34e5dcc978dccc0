import { type Static, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/json.js';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import { SIZES } from '../documents/size-rules.js';
import type { WritableDraft } from './draft.js';
import { type EngineDraft, LaunchesSchema, StoredEngineSchema } from './engine.js';

/**
 * The part of state.json about one recipe of a run. It is at the top level for the current recipe, and below `workflow`
 * for the recipes of earlier phases (storage.md, state.json).
 */

const Str = Type.String();
const At = Type.String({ description: 'UTC with milliseconds.' });

const StepSchema = Type.Object(
  {
    status: enumSchema('pending', 'running', 'done', 'skipped', 'failed', 'stale'),
    at: NullableString,
    round: Type.Optional(Type.Integer()),
    retries: Type.Optional(Type.Integer()),
    by: Type.Optional(Str),
    summary: Type.Optional(Str),
    /** Exit code of a CLI block's command; absent before it ends, and if a signal ended it. */
    exit: Type.Optional(Type.Integer()),
    /** How the block's command ended last time, if it did not succeed. `exit` is null if there is no exit code. */
    red: Type.Optional(
      Type.Object(
        {
          outcome: Str,
          exit: nullableSchema(Type.Integer()),
          log: Type.Optional(Type.String({ description: 'Relative to the run directory.' })),
        },
        noOtherKeys,
      ),
    ),
    /** The run's warnings about how this block ended. */
    warned: Type.Optional(Type.Array(Str)),
  },
  noOtherKeys,
);

const AgentSchema = Type.Object(
  {
    status: enumSchema('pending', 'done', 'failed', 'stale'),
    outputHash: NullableString,
    at: NullableString,
    output: Type.Optional(Str),
    verdict: Type.Optional(Str),
    /** How many questions for the user the agent's report leaves open. */
    questions: Type.Optional(Type.Integer()),
    summary: Type.Optional(Str),
    reason: Type.Optional(Str),
    writer: Type.Optional(Str),
    selfReported: Type.Optional(Type.Boolean()),
  },
  noOtherKeys,
);

const GateSchema = Type.Object(
  {
    choice: Str,
    digest: Type.Optional(NullableString),
    /** At a gate about the plan: the digest of plan-content.json. */
    plan: Type.Optional(NullableString),
    note: Type.Optional(Str),
    by: Str,
    at: At,
    seq: Type.Integer(),
    stale: Type.Optional(Type.Boolean()),
  },
  noOtherKeys,
);

const ReviewSchema = Type.Object(
  {
    block: Str,
    round: Type.Integer(),
    agent: Str,
    verdict: NullableString,
    summary: Str,
    output: NullableString,
    /** The plan was edited after this review, by `plan apply`, `plan edit` or a change to one todo. */
    edited: Type.Optional(Type.Literal(true)),
  },
  noOtherKeys,
);

const CommandStateSchema = Type.Object(
  {
    key: Type.String({ description: '<runId>:<actionId>; started and finished are two entries with one key.' }),
    actionId: Type.String({ description: 'The `running` action that waits for it, or the task that it checks.' }),
    check: Type.Optional(Type.String({ description: 'The acceptance that `dev-cli check` runs it for.' })),
    block: Str,
    argv: Type.Array(Str),
    shell: Type.Boolean(),
    cwd: Str,
    timeout: Type.Number({ description: 'Seconds.' }),
    expects: Type.Optional(
      Type.String({ description: 'What an acceptance expects of the command, if more than exit 0.' }),
    ),
    directory: Type.String({ description: 'Where the runner writes its log and exit.json, in the run directory.' }),
    launches: Type.Optional(LaunchesSchema),
    startedAt: At,
  },
  noOtherKeys,
);

const CommandResultSchema = Type.Object(
  {
    at: At,
    actionId: Str,
    /** Path of the output, relative to the run's directory. */
    log: Str,
    /** Exit code; absent for 0. */
    exit: Type.Optional(Type.Integer()),
  },
  noOtherKeys,
);

const MachineSchema = Type.Object(
  {
    value: Type.Union([Str, Type.Record(Str, Str)]),
    counters: Type.Record(
      Str,
      Type.Object(
        { round: Type.Integer(), roundBase: Type.Integer(), retries: Type.Integer(), jumps: Type.Integer() },
        noOtherKeys,
      ),
    ),
  },
  noOtherKeys,
);

const SizeSchema = Type.Object(
  {
    said: Type.Optional({ ...enumSchema(...SIZES), description: "The user's word." }),
    most: Type.Optional({ ...enumSchema(...SIZES), description: 'The largest size that the user allows.' }),
    found: Type.Optional({
      ...enumSchema(...SIZES),
      description: 'The size that a block determined, as far as it was accepted.',
    }),
    why: Type.Optional(Type.String({ description: 'Why a smaller size was accepted than the block claimed.' })),
  },
  noOtherKeys,
);

/** The members of a recipe's state. */
export const RECIPE_MEMBERS = {
  skill: Str,
  mode: Type.Record(Str, Str),
  vars: Type.Record(Str, Type.Unknown()),
  /** The size of the run's work (recipes.md, Size); absent if nobody has stated or determined it. */
  size: Type.Optional(SizeSchema),
  /** The position of the recipe's state machine, and its counters by block. */
  machine: MachineSchema,
  /** Every block of the recipe, by id. */
  steps: Type.Record(Str, StepSchema),
  agents: Type.Record(Str, AgentSchema),
  /** The decisions at gates: by the id of the block; in an execution, by the question that was asked. */
  gates: Type.Record(Str, GateSchema),
  /**
   * The block, and in an execution the todo, of every acknowledged action. A repeated acknowledgement is recognized by
   * it as a duplicate, and one for an unknown action is refused.
   */
  acknowledged: Type.Record(Str, Type.Object({ block: Str, todo: Type.Optional(Str) }, noOtherKeys)),
  /** The data that agents handed in, by block, if a schema or a condition refers to it; at most 64 kB each. */
  data: Type.Optional(Type.Record(Str, Type.Unknown())),
  /** The digests of the documents that a block's result is based on, by block. */
  inputHashes: Type.Record(Str, Type.Record(Str, NullableString)),
  /** The line that `draft import` last wrote from each report, by report. Any text after it was added by people. */
  imported: Type.Optional(Type.Record(Str, Str)),
  /** How many rounds of reviews have reached a verdict. */
  reviewRounds: Type.Integer(),
  /** The verdicts of the reviewers, oldest first. */
  reviews: Type.Array(ReviewSchema),
  /** Text of the last result, from an output or `--result`; conditions can read it. */
  result: NullableString,
  /** External commands that have started and not yet finished, by key. */
  commands: Type.Record(Str, CommandStateSchema),
  /**
   * Results of successful external commands, kept for reuse: by a key of the command, the work tree it ran on, and what
   * was expected of it.
   */
  commandResults: Type.Record(Str, CommandResultSchema),
  /** The last refusal due to changed sources in a phase that may not change them. */
  sourcesRefused: nullableSchema(
    Type.Object({ seq: Type.Integer(), actionId: Str, paths: Type.Array(Str) }, noOtherKeys),
  ),
  /** The execution of a plan; null in a recipe that executes none. */
  engine: nullableSchema(StoredEngineSchema),
  lastError: nullableSchema(Type.Object({ code: Str, message: Str, block: Str, at: At }, noOtherKeys)),
};

const RecipeStateSchema = Type.Object(RECIPE_MEMBERS, noOtherKeys);

/** The final state of a recipe in an earlier phase of a workflow, or in an earlier attempt at the current phase. */
export const LeftRecipeSchema = Type.Object({ phase: Str, recipe: Str, ...RECIPE_MEMBERS }, noOtherKeys);

export type RecipeState = Frozen<Static<typeof RecipeStateSchema>>;
/** The state of a recipe as a transaction may change it. */
export type RecipeDraft = Omit<WritableDraft<RecipeState>, 'engine'> & { engine: EngineDraft | null };
/** The state of a block in a run. */
export type StepState = RecipeState['steps'][string];
/** The decision at a gate. */
export type GateState = RecipeState['gates'][string];
/** An external command that has started and not yet finished. */
export type RunningCommand = RecipeState['commands'][string];
