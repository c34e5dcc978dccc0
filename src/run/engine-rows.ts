import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';

/** `engine` of state.json: where a plan's execution stands (engine.md, Shape; storage.md, state.json). */

const Str = Type.String();

const SubstepSchema = Type.Object(
  {
    status: enumSchema('pending', 'running', 'done', 'skipped', 'failed', 'deferred'),
    at: NullableString,
  },
  noOtherKeys,
);

const TodoStateSchema = Type.Object(
  {
    id: Str,
    title: Str,
    type: enumSchema('work', 'verification'),
    risk: enumSchema('low', 'medium', 'high'),
    /** `pending`, `done`, `failed`, `stale`, or the id of the stage it is in. */
    status: Str,
    /** Within `verify`: dev-cli runs the commands, the verifier judges, a person judges. Within `worker`: it asks. */
    part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')),
    dependsOn: Type.Array(Str),
    files: Type.Array(Str),
    /** From 1 at the first; 0 before. */
    attempt: Type.Integer(),
    /** 0 for a todo of the plan, one more than its parent for an added one. */
    depth: Type.Integer(),
    /** The todo whose result made this one necessary; null for the plan's own and for fixes. */
    parent: Type.Optional(NullableString),
    /** Attempts that counted against the limit. */
    retries: Type.Integer(),
    substeps: Type.Record(Str, SubstepSchema),
    dynamicTodos: Type.Array(Str),
    /** Why it is attempted again, why it failed, or the question that it waits with. */
    why: Type.Optional(Str),
    startedAt: Type.Optional(Str),
    endedAt: Type.Optional(Str),
    /** The commit that holds its work. */
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
    /** The order of the plan; an added todo stands after the one that made it necessary. */
    order: Type.Array(Str),
    todos: Type.Record(Str, TodoStateSchema),
    /** The todos handed out together that are not settled yet, in plan order. */
    wave: Type.Array(Str),
    finalize: Type.Record(Str, FinalStateSchema),
    fixRounds: Type.Integer(),
    /** Why a stage of the whole run failed. */
    why: Type.Optional(Str),
    /** Added todos so far, fixes not counted. */
    added: Type.Integer(),
    /** What dev-cli itself, a person or the code reviewer is at, one at a time; null while workers and verifiers are out. */
    at: nullableSchema(
      Type.Object(
        { todo: NullableString, stage: Str, part: Type.Optional(enumSchema('commands', 'judge', 'human', 'question')) },
        noOtherKeys,
      ),
    ),
  },
  noOtherKeys,
);

export type EngineState = Static<typeof EngineStateSchema>;
export type TodoState = Static<typeof TodoStateSchema>;
export type SubstepStatus = Static<typeof SubstepSchema>['status'];
