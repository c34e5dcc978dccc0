import { type Static, Type } from '@sinclair/typebox';
import type { Frozen } from '../base/json.js';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../base/schema.js';

const Str = Type.String();
const Count = Type.Integer();
const nullableText = (description: string) => ({ ...NullableString, description });

/** The state of a todo in one word. */
const Standing = enumSchema('pending', 'running', 'done', 'failed', 'stale');

const EvidenceViewSchema = Type.Object(
  {
    id: Type.String({ description: 'The acceptance of the plan, or the stage of a recipe’s own handler.' }),
    todo: Type.Optional(Type.String({ description: 'In the final verification: the todo whose acceptance it is.' })),
    argv: Type.Array(Str),
    ok: Type.Boolean(),
    exit: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    outcome: Str,
    at: Str,
    reused: Type.Boolean({ description: 'Not run again, because it passed on exactly this tree before.' }),
    durationMs: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
    log: Type.String({ description: 'Relative to the run’s directory.' }),
  },
  noOtherKeys,
);

const TodoViewSchema = Type.Object(
  {
    id: Str,
    title: Str,
    standing: Standing,
    stage: nullableText('The current stage of a todo that is being worked on.'),
    part: nullableText('Within `verify`: commands, judge, human. Within `worker`: question.'),
    parent: nullableText('The todo that made this one necessary; null for the plan’s own and for fixes.'),
    dependsOn: Type.Array(Str),
    waitsFor: Type.Array(Str, { description: 'Before it starts: its dependencies that are not done.' }),
    blockedBy: Type.Array(Str, {
      description: 'Failed todos that keep this one from starting, directly or indirectly; at most 20.',
    }),
    attempt: Type.Integer({ description: '0 before the first attempt.' }),
    retries: Type.Integer({ description: 'Attempts that counted against the limit.' }),
    why: NullableString,
    startedAt: NullableString,
    endedAt: NullableString,
    substeps: Type.Array(Type.Object({ id: Str, status: Str, at: NullableString }, noOtherKeys)),
    task: nullableSchema(Type.Object({ actionId: Str, substep: Str, issuedAt: Str }, noOtherKeys)),
    commands: nullableSchema(
      Type.Object(
        {
          done: Count,
          total: Count,
          running: Type.Array(Str, { description: 'The argument vector that is running.' }),
        },
        noOtherKeys,
      ),
    ),
    evidence: Type.Array(EvidenceViewSchema),
    summary: nullableText('What its worker said about it.'),
    commit: NullableString,
    gone: Type.Optional(Type.Literal(true, { description: 'No longer in the plan; its commit stays.' })),
  },
  noOtherKeys,
);

/**
 * The schema of `execution` in `status --json`: how far a run has carried out its plan (protocol.md, status). Instants
 * are UTC with milliseconds.
 */
export const ExecutionViewSchema = Type.Object(
  {
    counts: Type.Object(
      {
        todos: Count,
        done: Count,
        running: Count,
        failed: Count,
        stale: Count,
        pending: Count,
        blocked: Type.Integer({ description: 'The pending and stale todos that a failed one blocks.' }),
        added: Count,
      },
      noOtherKeys,
    ),
    approvals: Type.Object(
      { plan: Str, commands: Str },
      {
        ...noOtherKeys,
        description: 'Who, if anybody, approved the plan and its commands, and on which digest, in words.',
      },
    ),
    /** In the order of the plan; an added todo follows the one that made it necessary. */
    todos: Type.Array(TodoViewSchema),
    /** The stages of the run as a whole, in order. */
    stages: Type.Array(
      Type.Object(
        {
          id: Str,
          status: enumSchema('pending', 'running', 'done', 'skipped', 'failed'),
          at: NullableString,
          detail: NullableString,
        },
        noOtherKeys,
      ),
    ),
    evidence: Type.Array(EvidenceViewSchema, { description: 'The evidence of the final verification.' }),
    fixRounds: Type.Object({ done: Count, most: Count }, noOtherKeys),
    why: nullableText('Why the run as a whole cannot succeed.'),
    deferred: Type.Array(Str, { description: 'Todos whose commit could not be made yet.' }),
    waits: nullableSchema(Type.String({ description: 'Why they could not be made when last tried.' })),
    openIssues: Type.Array(Str),
  },
  { ...noOtherKeys, $id: 'execution', description: '`execution` of `dev-cli status --json` (protocol.md §5).' },
);

/** An execution as `status` shows it. */
export type ExecutionView = Frozen<Static<typeof ExecutionViewSchema>>;

/** A todo as `status` shows it. */
export type TodoView = ExecutionView['todos'][number];

/** The evidence of one acceptance command as `status` shows it. */
export type EvidenceView = Frozen<Static<typeof EvidenceViewSchema>>;
