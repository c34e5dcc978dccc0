import { OptionalKind, type Static, type TSchema, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import { ActionSchema } from './action.js';
import { LaunchesSchema, RunEngineSchema } from './engine.js';
import { ForkedFromSchema } from './entries.js';
import { SCHEMA_VERSION } from './version.js';

/** state.json (storage.md, state.json): the snapshot that hooks, status and people read. */

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
    summary: Type.Optional(Str),
    reason: Type.Optional(Str),
    writer: Type.Optional(Str),
    selfReported: Type.Optional(Type.Boolean()),
  },
  noOtherKeys,
);

/** What stood at a promised path when its action was issued: evidence must differ from it (protocol.md §3). */
const FactsSchema = Type.Union([
  Type.Null(),
  Type.Object(
    { size: Type.Number(), mtimeMs: Type.Number(), ctimeMs: Type.Number(), inode: Type.Number(), sha256: Str },
    noOtherKeys,
  ),
]);

const CommandStateSchema = Type.Object(
  {
    key: Type.String({ description: '<runId>:<actionId>; started and finished are two entries with one key.' }),
    actionId: Str,
    block: Str,
    argv: Type.Array(Str),
    shell: Type.Boolean(),
    cwd: Str,
    timeout: Type.Number({ description: 'Seconds.' }),
    expects: Type.Optional(
      Type.String({ description: 'What an acceptance wants of it, in a word, when that is not just exit 0.' }),
    ),
    directory: Type.String({ description: 'Where the runner writes its log and exit.json, in the run directory.' }),
    launches: Type.Optional(LaunchesSchema),
    startedAt: At,
  },
  noOtherKeys,
);

const PlanGateSchema = Type.Object(
  {
    gate: Type.String({ description: 'The block, or the stage of the execution, that asked.' }),
    approved: Type.Boolean(),
    by: NullableString,
    at: At,
    /** Of PLAN.md. */
    digest: Type.Optional(NullableString),
    /** Of plan-content.json; absent in answers of 0.1.0. */
    plan: Type.Optional(NullableString),
  },
  noOtherKeys,
);

const WorkflowSchema = Type.Object(
  {
    name: Str,
    currentPhase: NullableString,
    phaseIndex: Type.Integer(),
    phases: Type.Array(
      Type.Object(
        {
          name: Str,
          recipe: Str,
          status: enumSchema('pending', 'running', 'done', 'skipped', 'failed'),
          at: NullableString,
          retries: Type.Optional(Type.Integer()),
          summary: Type.Optional(Str),
          /** What its recipe needs and was not there when the run began: the phase is passed over. */
          lacks: Type.Optional(Str),
          /** Of a phase that has ended: what state.json held of it while it was at work. */
          steps: Type.Optional(Type.Record(Str, StepSchema)),
          /** Its agents: what they wrote still is of this run. */
          agents: Type.Optional(Type.Record(Str, AgentSchema)),
          /** What the end of the run tells of it. */
          results: Type.Optional(Type.Record(Str, Str)),
          failed: Type.Optional(Type.Array(Type.Object({ id: Str, reason: Str }, noOtherKeys))),
        },
        noOtherKeys,
      ),
    ),
  },
  noOtherKeys,
);

/** The pull request that the run has opened, or found open. */
const RequestSchema = Type.Object(
  {
    url: Str,
    branch: Str,
    remote: Str,
    /** As last known. dev-cli makes it `ready` only when all of the work is pushed. */
    standing: enumSchema('draft', 'ready'),
  },
  noOtherKeys,
);

const stateSchema = <A extends TSchema>(action: A) =>
  Type.Object(
    {
      schemaVersion: Type.Literal(SCHEMA_VERSION),
      runId: Str,
      name: Str,
      status: enumSchema('live', 'completed', 'halted', 'aborted'),
      outcome: nullableSchema(enumSchema('completed', 'halted', 'aborted')),
      recipe: Str,
      mode: Type.Record(Str, Str),
      skill: Str,
      goal: NullableString,
      vars: Type.Record(Str, Type.Unknown()),
      /** The run of this name before this one: what lies in the directory may be its work, not ours. */
      earlierRun: NullableString,
      /** Documents that this run has written: what its end names. */
      written: Type.Array(Str),
      /** Bytes of the documents of this run as it left them: one that is shorter may have been cut off. */
      documents: Type.Optional(Type.Record(Str, Type.Integer())),
      /** Present in a run that goes on from a moment of another one. */
      forkedFrom: Type.Optional(ForkedFromSchema),
      origin: nullableSchema(Type.Object({ kind: Str, id: Str, attempt: Type.Integer() }, noOtherKeys)),
      workTree: Type.String({ description: 'Absolute, or "." for the root.' }),
      place: Type.Optional(
        Type.String({
          description:
            'Where the run was begun: a digest of machine, user and directory. Absent in runs older than places.',
        }),
      ),
      phase: Str,
      currentBlock: NullableString,
      blockIndex: Type.Integer(),
      pendingAction: nullableSchema(
        Type.Object(
          {
            issuedAt: At,
            /** Journal position of the issue: a gate wants a human event after it. */
            issuedSeq: Type.Integer(),
            /** Why it was issued: `enter`, `round`, `retry`, `revise`, `invalidate`, `bound`, `command`. */
            cause: Str,
            /** What stood at each promised path when the action was issued. */
            before: Type.Record(Str, FactsSchema),
            /** Digests of what subagents were handed to read, or a person was asked about, as it was then. */
            handed: Type.Optional(Type.Record(Str, NullableString)),
            /** SHA-256 of each section of the draft that the block writes, as it stood at issue. */
            sections: Type.Optional(Type.Record(Str, Str)),
            acknowledged: Type.Boolean(),
            action,
          },
          noOtherKeys,
        ),
      ),
      /** Ids of acknowledged actions that still matter for telling a duplicate from an unknown one: highest issued is `lastAction`. */
      lastAction: Type.Integer(),
      /** actionId → block, for every action of this run that was acknowledged. */
      acknowledged: Type.Record(Str, Str),
      steps: Type.Record(Str, StepSchema),
      agents: Type.Record(Str, AgentSchema),
      gates: Type.Record(
        Str,
        Type.Object(
          {
            choice: Str,
            digest: Type.Optional(NullableString),
            /** Of a gate about the plan: the digest of plan-content.json. */
            plan: Type.Optional(NullableString),
            note: Type.Optional(Str),
            by: Str,
            at: At,
            seq: Type.Integer(),
            stale: Type.Optional(Type.Boolean()),
          },
          noOtherKeys,
        ),
      ),
      /** What an earlier run of the name knew of the gate about its plan. Absent where none ever asked. */
      planGate: Type.Optional(PlanGateSchema),
      /** What was decided while the plan was made, as its summary told it: later summaries of the name tell it too. */
      decisions: Type.Optional(
        Type.Array(
          Type.Object(
            { text: Str, reason: Type.Optional(Str), by: enumSchema('user', 'agent', 'assumed'), at: At },
            noOtherKeys,
          ),
        ),
      ),
      lastHuman: nullableSchema(Type.Object({ seq: Type.Integer(), at: At }, noOtherKeys)),
      stops: Type.Record(Str, Type.Integer()),
      inputHashes: Type.Record(Str, Type.Record(Str, NullableString)),
      reviewRounds: Type.Array(
        Type.Object(
          {
            block: Str,
            round: Type.Integer(),
            agent: Str,
            verdict: NullableString,
            summary: Str,
            output: NullableString,
          },
          noOtherKeys,
        ),
      ),
      /** What was let pass and must not be forgotten: a review that rejected, a bound that was reached. */
      warnings: Type.Array(Str),
      /** What was mended when the run was opened, until an acknowledgement has told it. */
      recovered: Type.Array(Str),
      /** The text of the last result: an output's body or `--result`; conditions see it. */
      result: NullableString,
      /** Successful external commands by what they ran on, for reuse within the run. */
      commandResults: Type.Record(
        Str,
        Type.Object(
          {
            at: At,
            actionId: Str,
            /** Where its output lies, relative to the run's directory; a result without it (0.1.0) is not reused. */
            log: Type.Optional(Str),
          },
          noOtherKeys,
        ),
      ),
      /** Sources that changed in a phase that may not touch them, as last refused. */
      sourcesRefused: nullableSchema(
        Type.Object({ seq: Type.Integer(), actionId: Str, paths: Type.Array(Str) }, noOtherKeys),
      ),
      commands: Type.Record(Str, CommandStateSchema),
      /** Engine recipes: the plan's todos and where each stands. Null in every other run. */
      engine: nullableSchema(RunEngineSchema),
      /** Runs of several recipes: the phases, and which one the fields above belong to. Null in every other run. */
      workflow: nullableSchema(WorkflowSchema),
      pullRequest: Type.Optional(RequestSchema),
      events: Type.Array(Type.Object({ seq: Type.Integer(), at: At, type: Str, summary: Str }, noOtherKeys)),
      lastError: nullableSchema(Type.Object({ code: Str, message: Str, block: Str, at: At }, noOtherKeys)),
      preferences: Type.Record(Str, Type.Unsafe<string | boolean | number>({ type: ['string', 'boolean', 'number'] })),
      baseline: nullableSchema(
        Type.Object(
          {
            head: NullableString,
            /** path → content digest (null: deleted) of every path that git sees as changed. */
            dirty: Type.Record(Str, NullableString),
          },
          noOtherKeys,
        ),
      ),
      cliVersion: Str,
      recipeHash: Str,
      createdAt: At,
      updatedAt: At,
      seq: Type.Integer(),
      machine: Type.Object(
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
      ),
    },
    { ...noOtherKeys, $id: 'state', description: 'state.json: the snapshot of a run (storage.md, state.json).' },
  );

export const StateSchema = stateSchema(ActionSchema);

/** Parts that code reads key by key; a snapshot with a fault in them is of no use. */
const CHECKED_WHOLE = ['steps', 'machine'];

/**
 * What a snapshot is checked against when it is read, at every call: all keys, and the parts above whole. The rest
 * is our own, and checking all of it would cost as much as reading it.
 */
export const StateCheck = Type.Object(
  Object.fromEntries(
    Object.entries(StateSchema.properties).map(([key, schema]): [string, TSchema] => [
      key,
      CHECKED_WHOLE.includes(key) ? schema : outline(schema),
    ]),
  ),
  noOtherKeys,
);

/** The kind of a value without what is in it. */
function outline(schema: TSchema): TSchema {
  const kind = kindOf(schema);
  return OptionalKind in schema ? Type.Optional(kind) : kind;
}

function kindOf(schema: TSchema): TSchema {
  if (Array.isArray(schema['anyOf'])) return Type.Unsafe({ anyOf: (schema['anyOf'] as TSchema[]).map(outline) });
  return schema['type'] === 'object' || schema['type'] === 'array' ? Type.Unsafe({ type: schema['type'] }) : schema;
}

export type RunState = Static<typeof StateSchema>;
export type StepState = Static<typeof StepSchema>;
export type PlanGate = Static<typeof PlanGateSchema>;
export type PathFacts = Static<typeof FactsSchema>;
export type Workflow = Static<typeof WorkflowSchema>;
export type PhaseRow = Workflow['phases'][number];
export type RunningCommand = Static<typeof CommandStateSchema>;
export type PendingState = NonNullable<RunState['pendingAction']>;
