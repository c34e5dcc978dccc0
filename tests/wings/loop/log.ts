import fc from 'fast-check';

/** Lines of a log, as programs write them. */

let count = 0;

/** Builds a line; without an id, the event gets a unique one. */
export const lineOf = (event: object): string =>
  JSON.stringify({
    ...{ event_id: `evt_own${count++}`, event_type: 'x', timestamp: '2026-11-27T01:02:03Z', payload: {}, ...event },
  });

export const lines = (events: readonly object[]): string => events.map((event) => `${lineOf(event)}\n`).join('');

const payload = fc.record(
  {
    goal_id: fc.constantFrom('a', 'b', 'constructor', 7),
    run_id: fc.constantFrom('r1', 'r2', null),
    attempt: fc.constantFrom(1, 2, 3, '1', -1),
    success: fc.constantFrom(true, false, 'true'),
    action_taken: fc.constantFrom('advance', 'retry', 'block', 'escalate', 7),
    failure_classification: fc.constantFrom('security', 'impl-defect', null),
    claim_id: fc.constantFrom('c1', 'c2'),
    reason_code: fc.constantFrom('goal_already_claimed', 'claim_limit'),
    inbox_id: fc.nat(12).map((n) => `inbox-evt_${n}`),
    action: fc.constantFrom('approve', 'reject', 'defer', 'x'),
  },
  { requiredKeys: [] },
);

/** Generates events with unique ids, whose times need not be in the log's order. */
export const someEvents = fc
  .array(
    fc.record({
      timestamp: fc.constantFrom('2026-11-27T01:00:00Z', '2026-11-27T03:00:00+01:00', '2026-11-27T01:00:00', 'x', 7),
      event_type: fc.constantFrom(
        ...['auto_attempt', 'auto_attempt', 'operator_inbox_action', 'orchestrate_cycle_blocked'],
        ...['queue_claim_created', 'queue_claim_rejected', 'queue_claim_released', 'x'],
      ),
      payload,
    }),
    { maxLength: 12 },
  )
  .map((events) => events.map((event, n) => ({ event_id: `evt_${n}`, ...event })));
