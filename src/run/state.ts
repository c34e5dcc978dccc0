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

/** The file at a promised path at issue, null if there was none: evidence must differ from it (protocol.md §3). */
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
    /** Digest of PLAN.md when the gate was answered. */
    digest: Type.Optional(NullableString),
    /** Digest of plan-content.json; absent in answers that version 0.1.0 recorded. */
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
          /** What the phase's recipe needs but was missing when the run began; the phase is then skipped. */
          lacks: Type.Optional(Str),
          /** The steps of a phase that has ended, as state.json held them at its end. */
          steps: Type.Optional(Type.Record(Str, StepSchema)),
          /** The agents of a phase that has ended; their outputs still belong to this run. */
          agents: Type.Optional(Type.Record(Str, AgentSchema)),
          /** Results of the phase that the end of the run reports. */
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
    /** The last known standing. dev-cli makes it `ready` only once all work is pushed. */
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
      /** Id of the previous run of this name; documents in the directory may be its work. */
      earlierRun: NullableString,
      /** Documents that this run has written; its end lists them. */
      written: Type.Array(Str),
      /** Size in bytes of each document as this run last wrote it; a shorter one may have been cut off. */
      documents: Type.Optional(Type.Record(Str, Type.Integer())),
      /** Only in a fork: the run and the journal entry that it continues from. */
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
            /** `seq` of the entry that issued the action; a gate requires a human event after it. */
            issuedSeq: Type.Integer(),
            /** Why it was issued: `enter`, `round`, `retry`, `revise`, `invalidate`, `bound`, `command`. */
            cause: Str,
            /** The file at each promised path when the action was issued. */
            before: Type.Record(Str, FactsSchema),
            /** Digests, at issue, of the documents that subagents read or that a person is asked about. */
            handed: Type.Optional(Type.Record(Str, NullableString)),
            /** SHA-256, at issue, of each section of the draft that the block writes. */
            sections: Type.Optional(Type.Record(Str, Str)),
            acknowledged: Type.Boolean(),
            action,
          },
          noOtherKeys,
        ),
      ),
      /** The highest action number issued so far. */
      lastAction: Type.Integer(),
      /** Block id by action id, for every acknowledged action: a duplicate is told from an unknown action by it. */
      acknowledged: Type.Record(Str, Str),
      steps: Type.Record(Str, StepSchema),
      agents: Type.Record(Str, AgentSchema),
      gates: Type.Record(
        Str,
        Type.Object(
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
        ),
      ),
      /** The answer that an earlier run of this name got at its plan gate. Absent if no gate ever asked. */
      planGate: Type.Optional(PlanGateSchema),
      /** Decisions made while planning, as the plan's summary lists them; later summaries of this name repeat them. */
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
      /** What was let pass but must be reported: a review that rejected, a bound that was reached. */
      warnings: Type.Array(Str),
      /** Repairs made when the run was opened, until an acknowledgement has reported them. */
      recovered: Type.Array(Str),
      /** Text of the last result, from an output or `--result`; conditions can read it. */
      result: NullableString,
      /** Successful external commands, by a key of their input, for reuse within the run. */
      commandResults: Type.Record(
        Str,
        Type.Object(
          {
            at: At,
            actionId: Str,
            /** Path of the output, relative to the run's directory; a result without it (0.1.0) is not reused. */
            log: Type.Optional(Str),
          },
          noOtherKeys,
        ),
      ),
      /** The last refusal because sources changed in a phase that may not touch them. */
      sourcesRefused: nullableSchema(
        Type.Object({ seq: Type.Integer(), actionId: Str, paths: Type.Array(Str) }, noOtherKeys),
      ),
      commands: Type.Record(Str, CommandStateSchema),
      /** The execution of a plan; null in a run that executes none. */
      engine: nullableSchema(RunEngineSchema),
      /** The phases of a workflow, and which one the fields above belong to; null in a run of a single recipe. */
      workflow: nullableSchema(WorkflowSchema),
      pullRequest: Type.Optional(RequestSchema),
      events: Type.Array(Type.Object({ seq: Type.Integer(), at: At, type: Str, summary: Str }, noOtherKeys)),
      lastError: nullableSchema(Type.Object({ code: Str, message: Str, block: Str, at: At }, noOtherKeys)),
      preferences: Type.Record(Str, Type.Unsafe<string | boolean | number>({ type: ['string', 'boolean', 'number'] })),
      baseline: nullableSchema(
        Type.Object(
          {
            head: NullableString,
            /** Content digest, null if deleted, of every path that git reports as changed. */
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

/** The full schema of state.json, shipped for those who read the file. */
export const StateSchema = stateSchema(ActionSchema);

/** Parts that are checked in full: code reads them key by key, and a snapshot with a fault in them is unusable. */
const CHECKED_WHOLE = ['steps', 'machine'];

/**
 * The check of every snapshot on reading: all keys, and the parts above in full. dev-cli itself wrote the rest, and
 * checking that as well would cost as much as reading it.
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

/** Reduces a schema to the kind of the value, without its contents. */
function outline(schema: TSchema): TSchema {
  const kind = kindOf(schema);
  return OptionalKind in schema ? Type.Optional(kind) : kind;
}

function kindOf(schema: TSchema): TSchema {
  if (Array.isArray(schema['anyOf'])) return Type.Unsafe({ anyOf: (schema['anyOf'] as TSchema[]).map(outline) });
  return schema['type'] === 'object' || schema['type'] === 'array' ? Type.Unsafe({ type: schema['type'] }) : schema;
}

/** state.json. */
export type RunState = Static<typeof StateSchema>;
/** A block as the run knows it. */
export type StepState = Static<typeof StepSchema>;
/** The answer to a gate about the plan. */
export type PlanGate = Static<typeof PlanGateSchema>;
/** The file at a promised path, or null. */
export type PathFacts = Static<typeof FactsSchema>;
/** The phases of a workflow, and the current one. */
export type Workflow = Static<typeof WorkflowSchema>;
/** One phase of a workflow. */
export type PhaseRow = Workflow['phases'][number];
/** An external command that has started and not finished. */
export type RunningCommand = Static<typeof CommandStateSchema>;
/** The pending action, with what its acknowledgement is measured against. */
export type PendingState = NonNullable<RunState['pendingAction']>;
