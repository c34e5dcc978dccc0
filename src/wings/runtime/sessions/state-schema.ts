import { type Static, Type } from '@sinclair/typebox';
import type { JsonObject } from '../../../base/json.js';
import { enumSchema, NullableString, nullableSchema } from '../../../base/schema.js';
import type { SummaryFields } from '../core/summary.js';

/**
 * The stored state of a session without its messages, which are in its entries (runtime.md, Sessions). Unknown keys are
 * kept.
 */

const Str = Type.String();
const Count = Type.Integer({ minimum: 0 });
const Digest = Type.Unsafe<string | null>(NullableString);
const Free = Type.Unsafe<JsonObject>({ type: 'object' });

const UsageSchema = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
});

const BegunSchema = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'The number of the call in its session; names its directory.' }),
  tool: Str,
  file: Type.Optional(
    Type.Object({ path: Str, before: Digest, after: Str }, { description: 'What a call that writes a file would do.' }),
  ),
  command: Type.Optional(Type.Literal(true, { description: 'Its directory shows what it has started.' })),
});

export const SessionStateSchema = Type.Object({
  schemaVersion: Type.Literal(1),
  seq: Count,
  id: Str,
  kind: enumSchema('prompt', 'drive', 'child'),
  /** The action of a run that the session works on; null for a conversation. */
  work: nullableSchema(Type.Object({ run: Str, runId: Str, action: Str, agent: Type.Optional(Str) })),
  model: Str,
  openedAt: Str,
  at: Type.String({ description: 'Of the last commit.' }),
  closed: Type.Boolean(),
  messages: Count,
  context: Type.Integer({
    minimum: 0,
    description: 'Tokens of the messages that the last answer counted; 0: none.',
  }),
  counted: Type.Integer({ minimum: 0, description: 'The number of these messages.' }),
  usage: UsageSchema,
  cost: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'USD; null where a price is not known.' }),
  requests: Count,
  unanswered: Count,
  asking: Type.Boolean({ description: 'A request is under way, or was when the process ended.' }),
  calls: Count,
  begun: Type.Record(Str, BegunSchema, { description: 'Calls that have not ended, by id.' }),
  read: Type.Record(Str, Str, { description: 'The digest of each file as the session last read or wrote it.' }),
  turn: Type.Unsafe<JsonObject | null>({ type: ['object', 'null'] }),
  summary: Type.Unsafe<SummaryFields | null>({
    type: ['object', 'null'],
    description: 'What compaction carries over.',
  }),
  from: nullableSchema(Type.Object({ offset: Count, seq: Count }, { description: 'Where the last compaction is.' })),
  facts: Type.Optional(Free),
});

export type SessionState = Static<typeof SessionStateSchema>;
/** A call that is recorded as begun. */
export type BegunCall = Static<typeof BegunSchema>;
