import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { Frozen, JsonObject } from '../base/json.js';
import { enumSchema, NullableString, noOtherKeys, taggedUnion } from '../base/schema.js';

/** The pending action in its full form, as state.json keeps it (protocol.md §2). */

const Str = Type.String();

const InvocationSchema = Type.Object(
  { command: Str, input: Type.Unsafe<JsonObject>({ type: 'object' }) },
  { ...noOtherKeys, description: 'A command by its registry name and its input; printed as one command line.' },
);

const ChoiceSchema = Type.Object(
  {
    id: Str,
    label: Str,
    ack: Type.Optional(InvocationSchema),
    reason: Type.Optional(Type.Literal('required')),
  },
  noOtherKeys,
);

const DispatchAgentSchema = Type.Object(
  {
    id: Str,
    type: Type.String({ description: 'The role, as the bound harness resolves it.' }),
    promptFile: Str,
    output: Type.Optional(Type.String({ description: 'Where the agent writes; absent when it reports by --result.' })),
  },
  noOtherKeys,
);

const RunningCommandSchema = Type.Object(
  {
    id: Str,
    todoId: Type.Optional(NullableString),
    run: Type.Array(Str),
    startedAt: Str,
    log: Str,
  },
  noOtherKeys,
);

const common = {
  run: Str,
  block: Str,
  actionId: Type.String({ pattern: '^a[0-9]+$' }),
  instruction: Type.String({ description: 'What to do: goal, limits, what counts as done. At most 600 characters.' }),
  read: Type.Optional(Type.Array(Str)),
  consult: Type.Optional(Type.Array(Str)),
  asks: Type.Optional(Type.Literal('user')),
  progress: Str,
};
const acknowledged = { ack: Type.Optional(InvocationSchema), choices: Type.Optional(Type.Array(ChoiceSchema)) };

const DataSchema = Type.Object(
  {
    write: Str,
    form: enumSchema('sections', 'json', 'markdown'),
    schema: Type.Optional(
      Type.String({ description: 'What it must fit: a file, or the name of a schema that `dev-cli schema` prints.' }),
    ),
    need: Type.Optional(Type.Record(Str, Str)),
    headings: Type.Optional(Type.Array(Str)),
  },
  noOtherKeys,
);

/** Members that only the CLI uses; `next` leaves them out and `next --full` shows them. */
const FullSchema = Type.Object(
  {
    saveWith: Type.Optional(Str),
    exitCheck: Type.Optional(Str),
    then: Type.Optional(Str),
    onComplete: Type.Optional(Str),
    exitWhen: Type.Optional(Str),
    agents: Type.Optional(
      Type.Record(Str, Type.Object({ promptHint: Type.Optional(Str), readsFrom: Type.Array(Str) }, noOtherKeys)),
    ),
  },
  noOtherKeys,
);
const full = { full: Type.Optional(FullSchema) };

const LlmActionSchema = Type.Object(
  { ...common, action: Type.Literal('llm'), data: Type.Optional(DataSchema), ...acknowledged, ...full },
  noOtherKeys,
);
const LoopActionSchema = Type.Object(
  {
    ...common,
    action: Type.Literal('llm-loop'),
    round: Type.Integer(),
    maxRounds: Type.Integer(),
    data: Type.Optional(DataSchema),
    ...acknowledged,
    ...full,
  },
  noOtherKeys,
);
const WriteActionSchema = Type.Object(
  { ...common, action: Type.Literal('llm+cli'), data: DataSchema, ...acknowledged, ...full },
  noOtherKeys,
);
const DispatchActionSchema = Type.Object(
  {
    ...common,
    action: Type.Literal('dispatch-subagents'),
    agents: Type.Array(DispatchAgentSchema),
    parallel: Type.Boolean(),
    tell: Str,
    round: Type.Optional(Type.Integer()),
    maxRounds: Type.Optional(Type.Integer()),
    ...acknowledged,
    ...full,
  },
  noOtherKeys,
);
const GateActionSchema = Type.Object(
  {
    ...common,
    action: Type.Literal('wait-for-user'),
    message: Str,
    human: Type.Optional(Type.Literal('required')),
    /**
     * Set if only a person may answer: the command for them to run in a terminal of their own. The choices then have no
     * `ack`. Several commands are given as a list of words and commands that reads as one sentence.
     */
    answer: Type.Optional(
      Type.Union([InvocationSchema, Type.Array(Type.Union([Str, InvocationSchema]), { minItems: 1 })]),
    ),
    artifact: Type.Optional(Type.Object({ path: Str, digest: NullableString }, noOtherKeys)),
    todoId: Type.Optional(Str),
    ...acknowledged,
    ...full,
  },
  noOtherKeys,
);
/** The actions with which a block asks an agent or the user for something. */
const ASKING = [LlmActionSchema, LoopActionSchema, WriteActionSchema, DispatchActionSchema, GateActionSchema] as const;
const RunningActionSchema = Type.Object(
  {
    ...common,
    action: Type.Literal('running'),
    commands: Type.Array(RunningCommandSchema),
    poll: InvocationSchema,
    ...full,
  },
  noOtherKeys,
);
const EngineTaskSchema = Type.Object(
  {
    actionId: Type.String({ pattern: '^a[0-9]+$' }),
    todoId: NullableString,
    substep: Str,
    attempt: Type.Integer(),
    why: Type.Optional(Type.String({ description: 'What failed in the previous attempt.' })),
    type: Type.String({ description: 'The role, as the bound harness resolves it.' }),
    promptFile: Str,
    output: Str,
    readOnly: Type.Boolean({ description: 'The agent writes nothing except its output.' }),
    ack: InvocationSchema,
    issuedAt: Type.Optional(Str),
  },
  noOtherKeys,
);
const EngineDispatchActionSchema = Type.Object(
  {
    ...common,
    action: Type.Literal('engine-dispatch'),
    tasks: Type.Array(EngineTaskSchema, { description: 'To start now.' }),
    running: Type.Array(EngineTaskSchema, { description: 'Handed out earlier and still in progress.' }),
    runningMore: Type.Optional(
      Type.Integer({
        description: 'How many more tasks are in progress but not repeated here; `next --full` lists them.',
      }),
    ),
    commands: Type.Array(RunningCommandSchema, {
      description: 'At work meanwhile: none as long as workers are, so that half-written work fails nobody.',
    }),
    blocked: Type.Optional(
      Type.Record(Str, Type.Array(Str), { description: 'What a failed todo blocks, at most 20.' }),
    ),
    blockedMore: Type.Optional(Type.Integer()),
    tell: Str,
    ack: InvocationSchema,
    ...full,
  },
  noOtherKeys,
);
const DoneActionSchema = Type.Object(
  {
    run: Str,
    action: Type.Literal('done'),
    done: Type.Literal(true),
    outcome: enumSchema('completed', 'halted', 'aborted'),
    summary: Str,
    results: Type.Record(Str, Str),
    artifacts: Type.Array(Str),
    failed: Type.Array(Type.Object({ id: Str, reason: Str }, noOtherKeys)),
    warnings: Type.Optional(Type.Array(Str)),
    instruction: Str,
    resume: Type.Optional(InvocationSchema),
    ruling: Type.Optional(InvocationSchema),
    instead: Type.Optional(InvocationSchema),
    poll: Type.Optional(InvocationSchema),
  },
  noOtherKeys,
);

const HeldActionSchema = Type.Object(
  {
    run: Str,
    action: Type.Literal('held'),
    instruction: Str,
    by: Type.String({ description: 'Who holds it: `human` for a person at a terminal, else `agent`.' }),
    since: Str,
    reason: Type.Optional(Str),
    running: Type.Optional(Type.Array(EngineTaskSchema, { description: 'Tasks in progress, at most 8.' })),
    runningMore: Type.Optional(Type.Integer()),
    ack: Type.Optional(InvocationSchema),
    commands: Type.Optional(Type.Array(RunningCommandSchema)),
    poll: Type.Optional(InvocationSchema),
    pending: Type.Optional(
      taggedUnion('action', [...ASKING], {
        description: 'The action that was handed out before and is not acknowledged yet.',
      }),
    ),
    answer: Type.Unsafe<Static<typeof InvocationSchema>>({
      ...InvocationSchema,
      description: 'What releases the run.',
    }),
  },
  noOtherKeys,
);

const STORED = [...ASKING, RunningActionSchema, EngineDispatchActionSchema, DoneActionSchema] as const;

/** The kinds of action that a run can wait for. */
export const ACTIONS = STORED.map(({ properties }) => properties.action.const);

/** Builds the union of all stored actions, discriminated by `action`, with `members` added to each of them. */
export function extendActions<M extends TProperties>(members: M, options: { description: string }) {
  const extended: TObject[] = STORED.map(({ properties }) =>
    Type.Object<TProperties>({ ...properties, ...members }, noOtherKeys),
  );
  return Type.Unsafe<Static<(typeof STORED)[number]> & Static<TObject<M>>>(taggedUnion('action', extended, options));
}

const how = {
  how: Type.Optional(Type.String({ description: 'How it is done in the harness that calls; not stored.' })),
};
const { running, commands } = EngineDispatchActionSchema.properties;
const PRINTED: TObject[] = [
  ...ASKING.map(({ properties }) => Type.Object<TProperties>({ ...properties, ...how }, noOtherKeys)),
  Type.Object(
    {
      ...EngineDispatchActionSchema.properties,
      ...how,
      running: Type.Optional(running),
      commands: Type.Optional(commands),
    },
    noOtherKeys,
  ),
  RunningActionSchema,
  DoneActionSchema,
  HeldActionSchema,
];

/** The actions as printed, plus the action that is printed instead while the run is held (control.md, The action). */
export const ActionSchema = taggedUnion('action', PRINTED, {
  $id: 'action',
  description: 'What `dev-cli next` hands out (protocol.md §2).',
});

/** The action that a run waits for, as state.json stores it. */
export type Action = Frozen<Static<(typeof STORED)[number]>>;

/** The action that `next` prints. */
export type ShownAction = Action | HeldAction;

/** The action that `next` prints while the run is held. */
export type HeldAction = Frozen<Static<typeof HeldActionSchema>>;

/** An action of a run that has not ended. */
export type PendingAction = Exclude<Action, { action: 'done' }>;

/** An action that the agent itself carries out, without subagents; it may hand in data. */
export type LlmAction = Frozen<Static<typeof LlmActionSchema>>;

export type DispatchAction = Frozen<Static<typeof DispatchActionSchema>>;

/** An action that hands out the tasks of an execution. */
export type EngineDispatchAction = Frozen<Static<typeof EngineDispatchActionSchema>>;

/** An action that waits for commands that dev-cli itself is running. */
export type RunningAction = Frozen<Static<typeof RunningActionSchema>>;

/** A task of an execution, as its action shows it. */
export type TaskView = Frozen<Static<typeof EngineTaskSchema>>;

/** An action that waits for the user's choice. */
export type GateAction = Frozen<Static<typeof GateActionSchema>>;
