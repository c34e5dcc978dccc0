import { type Static, Type } from '@sinclair/typebox';
import type { Frozen, JsonObject } from '../../base/json.js';
import { enumSchema, NullableString, nullableSchema } from '../../base/schema.js';

/** The schema of the loop's state (loop-core.md, Files). Unknown keys are kept. */

const Str = Type.String();
const Count = Type.Integer({ minimum: 0 });
// Values that become paths or arguments of git are validated when they are read, because in a fleet others may write
// them, too (fleet.md, Trust).
const GOAL = '^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._-]{0,96}$';
const COMMIT = '^(?:[0-9a-f]{40}|[0-9a-f]{64})$';
const Goal = Type.String({ pattern: GOAL });
const Branch = Type.String({ pattern: '^[^-\\s:~^?*\\[\\\\][^\\s:~^?*\\[\\\\]*$' });
const Commit = (description: string) => Type.String({ pattern: COMMIT, description });
const NullableCommit = (description: string) =>
  Type.Unsafe<string | null>({ ...NullableString, pattern: COMMIT, description });

/** How a command ended: that of a session, or a check with which an attempt is judged. */
const CommandFact = Type.Object({
  line: Type.String({ description: 'The command line, secrets masked.' }),
  exit: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  timedOut: Type.Boolean(),
  started: Type.Boolean({ description: 'False if the system could not start it.' }),
  log: Type.String({ description: 'The end of what it printed, secrets masked.' }),
});

/** The results of a session, for the judge. */
const SessionFacts = Type.Object({
  session: CommandFact,
  handoff: nullableSchema(
    Type.Object(
      { status: enumSchema('complete', 'failed', 'blocked'), reason: Str },
      { description: 'The newest new one.' },
    ),
  ),
  unread: Type.Unsafe<string | null>({ ...NullableString, description: 'The new handoff that cannot be read.' }),
  misnamed: Type.Optional(
    nullableSchema(
      Type.Object(
        { name: Str, wanted: Str },
        { description: 'A handoff of the goal under another name than the one asked for.' },
      ),
    ),
  ),
  run: nullableSchema(
    Type.Object({
      status: enumSchema('live', 'completed', 'halted', 'aborted'),
      waits: Type.Boolean({ description: 'A person has to answer.' }),
      grew: Type.Boolean({ description: 'Its journal has grown since the session began.' }),
      said: Type.String({ description: 'What it waits for, or why it ended.' }),
      held: Type.Optional(Type.Literal(true, { description: 'It waits because it is held: a person releases it.' })),
    }),
  ),
  changed: Type.Array(Str, { description: 'Paths below the root outside .ai/ and .dev/, and paths beside the root.' }),
  forbidden: Type.Array(Str, { description: 'Paths that the attempt must not change.' }),
  branches: Type.Array(Str, { description: 'Branches that appeared meanwhile.' }),
});

const Verdict = Type.Object({
  classification: Str,
  success: Type.Boolean(),
  action: enumSchema('integrate', 'retry', 'block', 'pause', 'stop'),
  reason: Str,
});

const Attempt = Type.Object({
  goal: Goal,
  n: Count,
  runId: Type.String({ description: 'The batch that began it.' }),
  state: enumSchema('preparing', 'session', 'saving', 'judging', 'parked', 'integrating', 'unmoved', 'settling'),
  startedAt: Str,
  branch: Branch,
  base: Commit('The commit that it starts from.'),
  from: NullableCommit('The kept commit that it goes on from.'),
  tree: Type.String({ description: 'Absolute path of its work tree.' }),
  tool: Type.String({ description: 'The template, secrets masked.' }),
  run: Type.Unsafe<string | null>({
    ...NullableString,
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    description: 'The run of its recipe.',
  }),
  zero: NullableCommit('The tree before its first session.'),
  handoff: Type.String({
    pattern: '^(?:[\\d_-]{1,40}\\.md)?$',
    description: 'The name of the handoff that the session is to write.',
  }),
  handoffs: Type.Array(Str, { description: 'Names of handoffs that were there before.' }),
  branches: Type.Array(Str, { description: 'Branches that were there before.' }),
  sessions: Count,
  runSeq: Count,
  host: Type.Unsafe<string | null>({ ...NullableString, description: 'The machine of the session under way.' }),
  stopped: Type.Boolean({ description: 'A signal ended it.' }),
  kept: NullableCommit('The kept commit.'),
  facts: nullableSchema(SessionFacts),
  checks: Type.Array(CommandFact),
  verdict: nullableSchema(Verdict),
  commit: NullableCommit('The commit on the branch.'),
  costUsd: Type.Number(),
  claim: Type.Optional(
    Type.Unsafe<string | null>({ ...NullableString, description: 'The lease that it is worked on under.' }),
  ),
  steps: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The version of the steps that a worker of a fleet has to have.' }),
  ),
  named: Type.Optional(Type.String({ description: 'The tool that the desk of a fleet was told to take, by name.' })),
  head: Type.Optional(Commit('The commit checked out in its tree when it was last pushed.')),
});

const GoalRecord = Type.Object({
  n: Type.Integer({ minimum: 0, description: 'The last number that was given.' }),
  counted: Type.Integer({ minimum: 0, description: 'Attempts that count, since the goal was last active anew.' }),
  notes: Type.Array(Str, { description: 'What people said for the next attempt.' }),
  from: Type.Optional(Commit('The kept commit that the next attempt goes on from.')),
  owed: Type.Optional(
    Type.Object(
      { status: enumSchema('done', 'blocked'), reason: NullableString },
      { description: 'The status that could not be written, because goals.yaml could not be read.' },
    ),
  ),
});

const Outcome = Type.Object({
  success: Type.Boolean(),
  classification: Str,
  action: enumSchema('advance', 'retry', 'block', 'escalate', 'park'),
  attempts: Count,
  ref: NullableString,
  reason: Str,
  changed: Type.Array(Str),
});

const Batch = Type.Object({
  runId: Str,
  startedAt: Str,
  endedAt: NullableString,
  branch: Branch,
  base: Commit('The commit that it begins on.'),
  goals: Type.Array(Str, { description: 'The chosen goals, in order.' }),
  sessions: Count,
  failures: Type.Integer({ minimum: 0, description: 'Goals in a row that were given up.' }),
  toolErrors: Type.Integer({ minimum: 0, description: 'Sessions in a row that the tool failed.' }),
  pausedUntil: NullableString,
  costUsd: Type.Number(),
  outcomes: Type.Record(Str, Outcome),
});

const Lease = Type.Object({
  id: Type.String({ pattern: '^QCLM_[0-9a-f]{12}$' }),
  goal: Str,
  worker: Str,
  role: Type.String({ description: 'Of the goal, when it was taken.' }),
  key: Type.Unsafe<string | null>({ ...NullableString, description: 'Of the call that took it.' }),
  status: enumSchema('active', 'released', 'expired'),
  createdAt: Str,
  expiresAt: Str,
  closedAt: NullableString,
  reason: NullableString,
  goalStatus: NullableString,
});

const InboxAnswer = Type.Object({
  goal: NullableString,
  reasonCode: Str,
  classification: NullableString,
  action: enumSchema('approve', 'reject', 'defer'),
  operator: Str,
  reason: NullableString,
  at: Str,
  done: Type.Boolean({ description: 'It is carried out, and told in the log.' }),
});

const Packet = Type.Object({
  goal: Goal,
  adapter: Str,
  base: Commit('The commit that a patch on it is applied to.'),
  runId: Str,
  at: Str,
  seen: Type.Boolean({ description: 'Its result was handed in.' }),
});

const Spiked = Type.Object({
  key: Type.String({ description: 'Of its event.' }),
  result: Type.Unsafe<JsonObject>({ type: 'object' }),
  failures: Type.Array(Str, { description: 'Why it is not accepted.' }),
  accept: nullableSchema(
    Type.Object({
      file: Type.String({ pattern: '^(?!/|(?:.*/)?\\.\\.(?:/|$))' }),
      text: Type.String({ description: 'The ticket, as it was tried.' }),
      selected: Str,
      ref: NullableString,
    }),
  ),
});

export const LoopSchema = Type.Object(
  {
    schemaVersion: Type.Integer({ minimum: 1 }),
    seq: Type.Integer({ minimum: 0 }),
    batch: nullableSchema(Batch),
    goals: Type.Record(Str, GoalRecord),
    attempts: Type.Record(Str, Attempt, { description: 'Those that are not settled, by GOAL#n.' }),
    unsent: Type.Array(Type.Unsafe<JsonObject>({ type: 'object' }), {
      description: 'Events that are not in the log yet.',
    }),
    leases: Type.Optional(
      Type.Record(Str, Lease, { description: 'Who has which goal, by claim_id; closed ones stay 30 days.' }),
    ),
    answers: Type.Optional(
      Type.Record(Str, InboxAnswer, {
        description: 'What people answered, by inbox_id; what is carried out stays 30 days.',
      }),
    ),
    variants: Type.Optional(
      Type.Array(Type.Object({ goal: Goal, n: Count }), { description: 'Attempts of the spike under way.' }),
    ),
    spiked: Type.Optional({
      ...nullableSchema(Spiked),
      description: 'What a spike came to that is not written and told yet.',
    }),
    packets: Type.Optional(Type.Record(Str, Packet, { description: 'What was given out, by packet_id, for 30 days.' })),
  },
  { description: 'The loop, `.dev/loop/state.json`.' },
);

export type CommandFact = Frozen<Static<typeof CommandFact>>;
export type SessionFacts = Frozen<Static<typeof SessionFacts>>;
export type Verdict = Frozen<Static<typeof Verdict>>;
export type Attempt = Frozen<Static<typeof Attempt>>;
export type GoalRecord = Frozen<Static<typeof GoalRecord>>;
export type Outcome = Frozen<Static<typeof Outcome>>;
export type Batch = Frozen<Static<typeof Batch>>;
export type InboxAnswer = Frozen<Static<typeof InboxAnswer>>;
export type Spiked = Frozen<Static<typeof Spiked>>;
export type Lease = Frozen<Static<typeof Lease>>;
/** Members that older states lack are filled in as empty. */
export type LoopState = Frozen<Required<Static<typeof LoopSchema>>>;
