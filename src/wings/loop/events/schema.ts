import { Type } from '@sinclair/typebox';

/** The schema of a line in the log, written by dev-cli or another program (loop-core.md, Events). */
export const LoopEventSchema = Type.Object(
  {
    timestamp: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
      description: 'An instant with its offset, such as 2026-11-27T01:02:03+01:00.',
    }),
    event_id: Type.String({
      pattern: '^[\\w.:@/+#-]{1,128}$',
      description: 'One for each event: what comes again counts once.',
    }),
    event_type: Type.String({ minLength: 1, description: 'What happened, such as auto_attempt.' }),
    source: Type.String({ description: 'The program that wrote it.' }),
    idempotency_key: Type.String({ description: 'Unique among the events of its type and source.' }),
    schema_version: Type.Literal('event_bus.v1', { description: 'The form of the line.' }),
    payload: Type.Unsafe<object>({ type: 'object', description: 'What belongs to the type; often `goal_id`.' }),
  },
  { $id: 'loop-event', description: 'A line of .ai/events/events.jsonl.' },
);
