import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys, nullableSchema } from '../../../base/schema.js';

/**
 * The packet that an orchestrator (another program that drives agents) receives, and the result that it hands in
 * (loop-operations.md, Packets).
 */

/** Kinds of orchestrators. */
export const ADAPTERS = ['langgraph', 'openhands', 'other'] as const;
/** Formats of the context in a packet. */
export const FORMATS = ['markdown', 'plain', 'json'] as const;

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);
const PACKET = { pattern: '^pkt_[0-9a-f]{16}$' };
const GOAL = { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$' };
const adapter = enumSchema(...ADAPTERS);

export const TaskSchema = Type.Object(
  {
    schema_version: enumSchema('protocol_task.v1'),
    packet_id: Type.String({ ...PACKET, description: 'Named by the result; one result is taken.' }),
    adapter,
    created_at: Type.String(),
    run_id: Type.String(),
    base: Type.String({ description: 'The commit to work on.' }),
    goal: Type.Object({
      id: Type.String(GOAL),
      title: Type.String(),
      acceptance: Type.Array(Type.Union([Type.String(), Type.Object({ run: Type.String() })])),
      allowed_changes: nullableSchema(Type.Array(Type.String())),
      expect_failure: Type.Boolean(),
    }),
    execution: Type.Object({ role: Type.String(), mode: enumSchema('non-interactive'), prompt: Type.String() }),
    context: Type.Object({ included: Type.Boolean(), format: enumSchema(...FORMATS), text: NullableString }),
    instructions: Type.Array(Type.String(), { minItems: 3, maxItems: 3, description: 'How the result is handed in.' }),
  },
  { $id: 'protocol-task', description: 'A goal given out: `protocol export`.' },
);

export const ResultSchema = Type.Object(
  {
    schema_version: enumSchema('protocol_result.v1'),
    adapter,
    goal_id: Type.String(GOAL),
    success: Type.Boolean({ description: 'Whether the goal is reached, as the worker sees it.' }),
    packet_id: optional(Type.String({ ...PACKET, description: 'The packet that was worked on; a patch needs one.' })),
    claim_id: optional(Type.String({ pattern: '^QCLM_[0-9a-f]{12}$', description: 'Active, and of this goal.' })),
    run_id: optional(
      Type.String({ pattern: '^[A-Za-z0-9](?:[._+-]?[A-Za-z0-9]){0,63}$', description: 'Default: the packet’s.' }),
    ),
    attempt: optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'As the orchestrator counts.' })),
    action_taken: optional({
      ...enumSchema('advance', 'retry', 'block', 'escalate'),
      description: 'advance where success is true, and nowhere else.',
    }),
    classification: optional(Type.String({ pattern: '\\S', maxLength: 80 })),
    summary: optional(Type.String({ maxLength: 10_000, description: 'Stands for the handoff.' })),
    ref: optional(
      Type.String({
        pattern: '^[A-Za-z0-9_][A-Za-z0-9_./@{}^~+-]{0,199}$',
        description: 'A commit of this repository with the work; not together with `patch`.',
      }),
    ),
    patch: optional(Type.String({ pattern: '\\S', description: 'A diff on the packet’s base, as git writes it.' })),
  },
  { ...noOtherKeys, $id: 'protocol-result', description: 'A result handed in: `protocol ingest`.' },
);

export type PacketTask = Static<typeof TaskSchema>;
export type PacketResult = Static<typeof ResultSchema>;
