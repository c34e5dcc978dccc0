import { type Static, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/json.js';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';
import type { WorkerResult } from '../documents/results.js';
import type { PlanTodo } from '../plan/model/schema.js';
import type { WritableDraft } from './draft.js';

/**
 * The state machine's part of `engine` in state.json, with one row per todo (engine.md, Shape; storage.md, state.json).
 */

const Str = Type.String();

const SubstepSchema = Type.Object(
  {
    status: enumSchema('pending', 'running', 'done', 'skipped', 'failed', 'deferred'),
    /** UTC time of the last change of status; null before the stage begins. */
    at: NullableString,
  },
  noOtherKeys,
);

/** The result of an acceptance command that dev-cli ran, or of a handler defined by the recipe. */
export const EvidenceSchema = Type.Object(
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
    /** HEAD when the command ran; null without git. `tree`: digest of the work tree at that time. */
    commit: NullableString,
    tree: NullableString,
    /** Path of the output, relative to the run's directory. */
    log: Str,
    /** The result of an earlier run of the command was reused. */
    reused: Type.Optional(Type.Boolean()),
    /**
     * Set if the environment is at fault and not the work: the command did not start, exited with 126 or 127, or was
     * not allowed to listen on a network port.
     */
    unrunnable: Type.Optional(Type.Boolean()),
    /** What the sandbox did not allow the command to do: `listen` on a network port. */
    forbidden: Type.Optional(Type.Literal('listen')),
    durationMs: Type.Optional(Type.Number()),
  },
  noOtherKeys,
);

/** The work tree at one moment, in the same form as the run's `baseline`. */
export const TreeSchema = Type.Object(
  {
    head: NullableString,
    dirty: Type.Record(Str, NullableString),
    staged: Type.Optional(Type.Array(Str)),
    ahead: Type.Optional(Type.Integer()),
  },
  noOtherKeys,
);

/** The rulings given when work was reopened. */
export const RulingsSchema = Type.Array(
  Type.Object(
    {
      text: Str,
      at: Str,
      /** Present if a person at a terminal gave the ruling. */
      by: Type.Optional(Type.Literal('human')),
    },
    noOtherKeys,
  ),
);

export const TodoStateSchema = Type.Object(
  {
    /** The todo's id in the plan. */
    id: Str,
    title: Str,
    type: enumSchema('work', 'verification'),
    risk: enumSchema('low', 'medium', 'high'),
    /** `pending`, `done`, `failed`, `stale`, or the id of the stage that the todo is in. */
    status: Str,
    /**
     * Who acts within the stage. In `verify`: dev-cli (`commands`), the verifier (`judge`) or a person (`human`). In
     * `worker`: `question` while the worker waits for an answer.
     */
    part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')),
    /** Ids of the todos that must be done first. */
    dependsOn: Type.Array(Str),
    /** Globs of the files that the todo may change. */
    files: Type.Array(Str),
    /** Number of the current attempt, from 1; 0 before the first. */
    attempt: Type.Integer(),
    /** 0 for a todo of the plan; for an added todo, its parent's depth plus one. */
    depth: Type.Integer(),
    /** The todo whose result made this one necessary; null for todos of the plan itself and for fixes. */
    parent: Type.Optional(NullableString),
    /** Attempts that counted against the limit. */
    retries: Type.Integer(),
    /** The stages of the todo, by id. */
    substeps: Type.Record(Str, SubstepSchema),
    /** Ids of the todos that were added because of this one's result. */
    dynamicTodos: Type.Array(Str),
    /** The reason for the retry or the failure, or the question that the worker asked. */
    why: Type.Optional(Str),
    /** The todo failed because its worker could not continue. */
    blocked: Type.Optional(Type.Literal(true)),
    startedAt: Type.Optional(Str),
    endedAt: Type.Optional(Str),
    /** SHA of the commit that holds the todo's work. */
    commit: Type.Optional(Str),
    /**
     * The full todo; present only for a todo that was added or is gone. Other todos are read from the captured plan.
     */
    body: Type.Optional(Type.Unsafe<PlanTodo>({ type: 'object' })),
    /** The todo was done and then removed from the plan: its commit stays, and nothing depends on it any more. */
    gone: Type.Optional(Type.Literal(true)),
    /** Values that the todo reported, by name; also in context/outputs.json. */
    outputs: Type.Optional(Type.Record(Str, Type.Unknown())),
    /** Command results of the last attempt. */
    evidence: Type.Optional(Type.Array(EvidenceSchema)),
    /** The work tree before the first attempt, kept until the todo is settled; null if there was no repository. */
    baseline: Type.Optional(nullableSchema(TreeSchema)),
    /**
     * Changed paths that match no todo's globs but that this todo's result lists as its own; kept until the todo is
     * settled.
     */
    charged: Type.Optional(Type.Array(Str)),
    /** Paths that the results of all attempts list as changed, relative to the work tree. */
    listed: Type.Optional(Type.Array(Str)),
    /** Paths that the results of all attempts attribute to somebody else. */
    notMine: Type.Optional(Type.Array(Str)),
    /** Paths in the todo's commits. */
    committed: Type.Optional(Type.Array(Str)),
    /** The verdicts, over all attempts, of agents that handlers of the recipe dispatched. */
    verdicts: Type.Optional(
      Type.Array(Type.Object({ stage: Str, attempt: Type.Integer(), status: Str, summary: Str }, noOtherKeys)),
    ),
    /** The worker's one-line summary. */
    summary: Type.Optional(Str),
    /** The worker's last result, until the todo is settled. */
    report: Type.Optional(Type.Unsafe<WorkerResult>({ type: 'object' })),
    /** What failed in the previous attempt, one line each; absent once the todo is done. */
    failures: Type.Optional(Type.Array(Str)),
    /** How changes to the plan have changed this todo, one line each; kept until the todo is done. */
    planChanges: Type.Optional(Type.Array(Str)),
    /** The todo's commits that a person had reverted; kept until the todo is done again. */
    undone: Type.Optional(Type.Array(Str)),
    /** A person's answers to the worker's questions, until the todo is settled. */
    answers: Type.Optional(Type.Array(Type.Object({ question: Str, answer: Str }, noOtherKeys))),
    /** The rulings given when the todo was reopened, oldest first. */
    rulings: Type.Optional(RulingsSchema),
  },
  noOtherKeys,
);

const FinalStateSchema = Type.Object(
  { status: enumSchema('pending', 'running', 'done', 'skipped', 'failed'), at: NullableString },
  noOtherKeys,
);

export const EngineStateSchema = Type.Object(
  {
    /** `approvePlan`, `approveCommands`, `stateBegin`, `todos`, a final stage, or `ended`. */
    stage: Str,
    /** Todo ids in plan order; an added todo follows the one that made it necessary. */
    order: Type.Array(Str),
    /** The todos, by id. */
    todos: Type.Record(Str, TodoStateSchema),
    /** Ids of the todos that were issued together and are not settled yet, in plan order. */
    wave: Type.Array(Str),
    /** The final stages, by id. */
    finalize: Type.Record(Str, FinalStateSchema),
    /** How many rounds of fixes the findings of the final stages have caused. */
    fixRounds: Type.Integer(),
    /** Why a final stage failed. */
    why: Type.Optional(Str),
    /** A plan that an agent proposed: when, and which done todos it wants done again. */
    proposed: Type.Optional(Type.Object({ at: Str, reopen: Type.Array(Str) }, noOtherKeys)),
    /** Number of todos added so far, not counting fixes. */
    added: Type.Integer(),
    /** The one stage that dev-cli, a person or the code reviewer is working on; null while agents work on todos. */
    at: nullableSchema(
      Type.Object(
        { todo: NullableString, stage: Str, part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')) },
        noOtherKeys,
      ),
    ),
  },
  noOtherKeys,
);

/** A todo of an execution. */
export type TodoState = Frozen<Static<typeof TodoStateSchema>>;
/** The status of one stage of a todo. */
export type SubstepStatus = Static<typeof SubstepSchema>['status'];
/** The result of one command. */
export type CommandEvidence = Frozen<Static<typeof EvidenceSchema>>;
/** A note that a person or an agent gave when work was reopened. */
export type Ruling = NonNullable<TodoState['rulings']>[number];
/** The state machine's part of an execution. */
export type EngineState = WritableDraft<Frozen<Static<typeof EngineStateSchema>>>;
