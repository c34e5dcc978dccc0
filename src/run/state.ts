import { OptionalKind, type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/json.js';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import { STATE_SCHEMA_VERSION } from '../project/layout.js';
import type { StreamState } from '../store/store.js';
import { extendActions } from './action.js';
import type { WritableDraft } from './draft.js';
import type { EngineDraft } from './engine.js';
import { ForkedFromSchema } from './entries.js';
import { LeftRecipeSchema, RECIPE_MEMBERS } from './recipe-state.js';

/** state.json (storage.md, state.json): the snapshot that hooks, status and people read. */

const Str = Type.String();
const At = Type.String({ description: 'UTC with milliseconds.' });

/**
 * The facts of the file at a promised path when the action was issued; null if there was none. Evidence must differ
 * from these facts (protocol.md §3).
 */
const FactsSchema = Type.Union([
  Type.Null(),
  Type.Object(
    { size: Type.Number(), mtimeMs: Type.Number(), ctimeMs: Type.Number(), inode: Type.Number(), sha256: Str },
    noOtherKeys,
  ),
]);

const PlanGateSchema = Type.Object(
  {
    gate: Type.String({ description: 'The block, or the stage of the execution, that asked.' }),
    approved: Type.Boolean(),
    by: NullableString,
    at: At,
    /** Digest of PLAN.md when the gate was answered. */
    digest: Type.Optional(NullableString),
    /** Digest of plan-content.json at that time; null if no plan was approved. */
    plan: NullableString,
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
          /** A need of the phase's recipe that was not met when the run began, so that the phase is skipped. */
          lacks: Type.Optional(Str),
          /** Results of the phase, reported at the end of the run. */
          results: Type.Optional(Type.Record(Str, Str)),
          failed: Type.Optional(Type.Array(Type.Object({ id: Str, reason: Str }, noOtherKeys))),
        },
        noOtherKeys,
      ),
    ),
    earlier: Type.Array(LeftRecipeSchema, {
      description: 'What the phases before the current one, and attempts at it, have left, oldest first.',
    }),
  },
  noOtherKeys,
);

/** The pull request that the run opened, or found open. */
const RequestSchema = Type.Object(
  {
    url: Str,
    branch: Str,
    remote: Str,
    /** The last known status. dev-cli marks it `ready` only once all work is pushed. */
    standing: enumSchema('draft', 'ready'),
  },
  noOtherKeys,
);

/** The data against which the pending action's acknowledgement is checked; stored beside the action's own members. */
const issueMembers = {
  issuedAt: At,
  /** `seq` of the entry that issued the action; a gate requires a human event after it. */
  issuedSeq: Type.Integer(),
  /**
   * Why the action was issued: `enter`, `round`, `retry`, `revise`, `invalidate`, `bound`, `command`, `goal`, `end`.
   */
  cause: Str,
  /** The facts of the file at each promised path when the action was issued. */
  before: Type.Record(Str, FactsSchema),
  /** Digests, taken at issue, of the documents that subagents read or that a person is asked about. */
  handed: Type.Optional(Type.Record(Str, NullableString)),
  /** SHA-256, taken at issue, of each section of the draft that the block writes. */
  sections: Type.Optional(Type.Record(Str, Str)),
  acknowledged: Type.Boolean(),
  /** How often the agent wanted to stop and was asked to continue with this action. */
  nudges: Type.Optional(Type.Integer()),
};

const PendingSchema = extendActions(issueMembers, {
  description: 'What the run waits for: the action as `next` prints it, and when and why it was issued.',
});

const EventSchema = Type.Object(
  {
    seq: Type.Integer({ description: 'Of the journal entry.' }),
    type: Type.String({ description: 'Of the journal entry.' }),
    at: At,
    by: Type.String({ description: 'What acted: `cli`, `agent`, `human`, `hook`, `tool`.' }),
    block: Type.Optional(Str),
    actionId: Type.Optional(Str),
    todoId: Type.Optional(NullableString),
    command: Type.Optional(Type.String({ description: 'Of an entry `document`.' })),
  },
  noOtherKeys,
);

/** A hold on the run (control.md, Holding). */
const HeldSchema = Type.Object(
  {
    at: At,
    by: Type.String({ description: '`human` for a person at a terminal, else who called.' }),
    reason: Type.Optional(Str),
    /**
     * What the recipe's machine was about to begin when the hold stopped it; `release` begins it. Absent while an
     * action is still pending, and in an execution, whose own machine hands out nothing while the run is held.
     */
    kept: Type.Optional(
      Type.Object(
        {
          type: enumSchema('issue', 'execute', 'engine'),
          block: Str,
          cause: Str,
          /** Files that explain the effect, such as a rejecting review. */
          because: Type.Array(Str),
          /** At a retry: the previous action, as it was in `pendingAction`. */
          earlier: Type.Optional(Type.Unsafe<Static<typeof PendingSchema>>({ type: 'object' })),
        },
        noOtherKeys,
      ),
    ),
  },
  noOtherKeys,
);

/** The full schema of state.json, shipped for readers of the file. */
export const StateSchema = Type.Object(
  {
    schemaVersion: Type.Literal(STATE_SCHEMA_VERSION),
    runId: Str,
    name: Str,
    status: enumSchema('live', 'completed', 'halted', 'aborted'),
    outcome: nullableSchema(enumSchema('completed', 'halted', 'aborted')),
    /** The recipe or workflow with which the run was begun. */
    recipe: Str,
    goal: NullableString,
    /** Id of the previous run of this name, which may have written documents in the directory. */
    earlierRun: NullableString,
    /** Documents that this run has written; listed when it ends. */
    written: Type.Array(Str),
    /** Reports of executions of this name, oldest first: report.md, and earlier reports saved under other names. */
    reports: Type.Optional(Type.Array(Str)),
    /**
     * Artifacts that the recipe lists but no block promises, each as it was when the run began. One that differs now
     * has been written by this run.
     */
    found: Type.Optional(Type.Record(Str, NullableString)),
    /** Size in bytes of each document as this run last wrote it; a shorter one may have been truncated. */
    documents: Type.Record(Str, Type.Integer()),
    /** Only in a fork: the run and the journal entry from which it continues. */
    forkedFrom: Type.Optional(ForkedFromSchema),
    origin: nullableSchema(Type.Object({ kind: Str, id: Str, attempt: Type.Integer() }, noOtherKeys)),
    workTree: Type.String({ description: 'Absolute, or "." for the root.' }),
    place: Type.String({
      description: 'Where the run was begun: a digest of machine, user and directory.',
    }),
    phase: Str,
    currentBlock: NullableString,
    blockIndex: Type.Integer(),
    pendingAction: nullableSchema(PendingSchema),
    held: Type.Optional(HeldSchema),
    /** The highest action number issued so far. */
    lastAction: Type.Integer(),
    /** The answer at the plan gate of an earlier run of this name. Absent if no gate ever asked. */
    planGate: Type.Optional(PlanGateSchema),
    /** Decisions made while planning, as listed in the plan's summary; later summaries of this name repeat them. */
    decisions: Type.Optional(
      Type.Array(
        Type.Object(
          { text: Str, reason: Type.Optional(Str), by: enumSchema('user', 'agent', 'assumed'), at: At },
          noOtherKeys,
        ),
      ),
    ),
    /**
     * The newest entries of the journal, except recoveries and entries that hooks record outside the run's own calls.
     */
    events: Type.Array(EventSchema),
    lastHuman: nullableSchema(Type.Object({ seq: Type.Integer(), at: At }, noOtherKeys)),
    stops: Type.Record(Str, Type.Integer()),
    /**
     * Problems that did not stop the run but must be reported, such as a review that rejected the work, or a limit that
     * was reached.
     */
    warnings: Type.Array(Str),
    /** Repairs made when the run was opened; kept until an acknowledgement has reported them. */
    recovered: Type.Array(Str),
    ...RECIPE_MEMBERS,
    /** The phases of a workflow; null in a run of a single recipe. */
    workflow: nullableSchema(WorkflowSchema),
    pullRequest: Type.Optional(RequestSchema),
    /** Outputs of subagents that the main agent wrote itself, as observed by hooks. */
    selfWritten: Type.Optional(Type.Array(Str)),
    /** A person has allowed tools to write anywhere while this run is live. */
    unguarded: Type.Optional(Type.Literal(true)),
    preferences: Type.Record(Str, Type.Unsafe<string | boolean | number>({ type: ['string', 'boolean', 'number'] })),
    /** The rules for all work from the project's preferences, as they were when the run began. */
    notes: Type.Optional(Type.Array(Str)),
    baseline: nullableSchema(
      Type.Object(
        {
          head: NullableString,
          /** Content digest of every path that git reports as changed; null for a deleted path. */
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
  },
  { ...noOtherKeys, $id: 'state', description: 'state.json: the snapshot of a run (storage.md, state.json).' },
);

/**
 * The schema against which every snapshot is checked when it is read. It checks the kind of every member, and checks in
 * full only the members that code reads key by key. dev-cli itself wrote the rest, and checking that too would take as
 * long as reading the file.
 */
export const StateCheck = outlineMembers(StateSchema, {
  steps: RECIPE_MEMBERS.steps,
  machine: RECIPE_MEMBERS.machine,
});

/** Reduces the members of an object to their kinds, except those in `whole`. */
function outlineMembers({ properties }: TObject, whole: TProperties): TObject {
  const members = Object.entries(properties).map(([key, schema]): [string, TSchema] => [
    key,
    whole[key] ?? outline(schema),
  ]);
  return Type.Object(Object.fromEntries(members), noOtherKeys);
}

/** Reduces a schema to the kind of the value, without its contents. */
function outline(schema: TSchema): TSchema {
  const kind = kindOf(schema);
  return OptionalKind in schema ? Type.Optional(kind) : kind;
}

function kindOf(schema: TSchema): TSchema {
  if (Array.isArray(schema['anyOf'])) return Type.Unsafe({ anyOf: (schema['anyOf'] as TSchema[]).map(outline) });
  return schema['type'] === 'object' || schema['type'] === 'array' ? Type.Unsafe({ type: schema['type'] }) : schema;
}

/** The content of state.json. */
export type RunState = Frozen<Static<typeof StateSchema>>;
/** A stream that holds a run, as the store read it. */
export type RunHead = StreamState<RunState> & { snapshot: RunState };
/** The state as a transaction may change it. */
export type RunDraft = Omit<WritableDraft<RunState>, 'engine' | 'workflow'> & {
  engine: EngineDraft | null;
  workflow: WorkflowDraft | null;
};
/** The answer to a gate about the plan. */
export type PlanGate = NonNullable<RunState['planGate']>;
/** The facts of the file at a promised path; null if there is none. */
export type PathFacts = Static<typeof FactsSchema>;
/** The phases of a workflow, and the current one. */
export type Workflow = NonNullable<RunState['workflow']>;
/** A workflow's state as a transaction may change it. */
export type WorkflowDraft = WritableDraft<Workflow>;
export type PhaseRow = Workflow['phases'][number];
/** The pending action, with the data against which its acknowledgement is checked. */
export type PendingState = NonNullable<RunState['pendingAction']>;
