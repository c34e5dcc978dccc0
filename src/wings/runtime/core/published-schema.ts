import { type Static, Type } from '@sinclair/typebox';
import { enumSchema, noOtherKeys, nullableSchema, taggedUnion } from '../../../base/schema.js';

/** Schema of an exported session, which can be imported again (runtime.md, Sessions). */

const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });

const BlockSchema = taggedUnion('type', [
  Type.Object({ type: Type.Literal('text'), text: Text }, noOtherKeys),
  Type.Object(
    { type: Type.Literal('thinking'), thinking: Text, signature: Type.Optional(Text) },
    { ...noOtherKeys, description: 'The thinking of a model before its answer.' },
  ),
  Type.Object(
    { type: Type.Literal('tool_use'), id: Text, name: Text, input: Text },
    { ...noOtherKeys, description: 'A call; its input as the model wrote it.' },
  ),
  Type.Object(
    {
      ...{ type: Type.Literal('tool_result'), tool_use_id: Text, tool_name: Text },
      ...{ output: Text, is_error: Type.Boolean() },
    },
    noOtherKeys,
  ),
]);

const UsageSchema = Type.Object(
  {
    ...{ input_tokens: Count, output_tokens: Count },
    ...{ cache_creation_input_tokens: Count, cache_read_input_tokens: Count },
  },
  noOtherKeys,
);

const MessageSchema = Type.Object(
  {
    role: enumSchema('system', 'user', 'assistant', 'tool'),
    blocks: Type.Array(BlockSchema, { minItems: 1 }),
    usage: Type.Optional(nullableSchema(UsageSchema)),
  },
  noOtherKeys,
);

export const PublishedSchema = Type.Object(
  {
    version: Type.Literal(1),
    messages: Type.Array(MessageSchema, { description: 'Each call has its result in the next message, role tool.' }),
  },
  { ...noOtherKeys, $id: 'runtime-published', description: 'A session, as `session export` prints it.' },
);

export type Published = Static<typeof PublishedSchema>;
