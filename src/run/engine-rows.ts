import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';

/** The machine's part of `engine` in state.json: a plan's execution (engine.md, Shape; storage.md, state.json). */

const Str = Type.String();

const SubstepSchema = Type.Object(
  {
    status: enumSchema('pending', 'running', 'done', 'skipped', 'failed', 'deferred'),
    /** When the status last changed, in UTC; null before the substep begins. */
    at: NullableString,
  },
  noOtherKeys,
);

const TodoStateSchema = Type.Object(
  {
    /** The todo's id in the plan. */
    id: Str,
    title: Str,
    type: enumSchema('work', 'verification'),
    risk: enumSchema('low', 'medium', 'high'),
    /** `pending`, `done`, `failed`, `stale`, or the id of the stage that the todo is in. */
    status: Str,
    /**
     * Who acts within the stage. In `verify`: dev-cli (`commands`), the verifier (`judge`) or a person (`human`).
     * In `worker`: `question` while the worker waits for an answer.
     */
    part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')),
    /** Ids of the todos that must be done first. */
    dependsOn: Type.Array(Str),
    /** Globs of the files that the todo may change. */
    files: Type.Array(Str),
    /** Number of the current attempt, from 1; 0 before the first. */
    attempt: Type.Integer(),
    /** 0 for a todo of the plan, one more than its parent for an added one. */
    depth: Type.Integer(),
    /** The todo whose result made this one necessary; null for the plan's own and for fixes. */
    parent: Type.Optional(NullableString),
    /** Attempts that counted against the limit. */
    retries: Type.Integer(),
    /** The stages of the todo, by id. */
    substeps: Type.Record(Str, SubstepSchema),
    /** Ids of the todos that were added because of this one's result. */
    dynamicTodos: Type.Array(Str),
    /** The reason for the retry or the failure, or the question that the worker asked. */
    why: Type.Optional(Str),
    startedAt: Type.Optional(Str),
    endedAt: Type.Optional(Str),
    /** SHA of the commit that holds the todo's work. */
    commit: Type.Optional(Str),
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
    /** Number of todos added so far, not counting fixes. */
    added: Type.Integer(),
    /** The one stage that dev-cli, a person or the code reviewer works on; null while agents work on todos. */
    at: nullableSchema(
      Type.Object(
        { todo: NullableString, stage: Str, part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')) },
        noOtherKeys,
      ),
    ),
  },
  noOtherKeys,
);

/** The machine's part of an execution. */
export type EngineState = Static<typeof EngineStateSchema>;
/** A todo of an execution. */
export type TodoState = Static<typeof TodoStateSchema>;
/** The status of one stage of a todo. */
export type SubstepStatus = Static<typeof SubstepSchema>['status'];
