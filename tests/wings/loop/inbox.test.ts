import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldInbox } from '../../../src/wings/loop/core/inbox.js';
import { parseEvents } from '../../../src/wings/loop/core/log-lines.js';
import { lines, someEvents } from './log.js';

// loop-operations.md, Inbox: the rows of the table that come from the log.

const inbox = (events: readonly object[]) => foldInbox(parseEvents(lines(events)).events);
const attempt = (event_id: string, more: object, goal_id: unknown = 'a') => ({
  ...{ event_id, event_type: 'auto_attempt', payload: { goal_id, ...more } },
});
const block = (id: string, goal?: string) => attempt(id, { success: false, action_taken: 'block' }, goal);
const answer = (event_id: string, action: unknown) => ({
  ...{ event_type: 'operator_inbox_action', payload: { inbox_id: `inbox-${event_id}`, action, goal_id: 'a' } },
});
const collision = {
  event_type: 'queue_claim_rejected',
  payload: { goal_id: 'a', reason_code: 'goal_already_claimed' },
};

describe('the inbox', () => {
  it.each([
    [attempt('e', { failure_classification: 'security', action_taken: 'block' }), 'security_failure', 'high'],
    [
      attempt('e', { action_taken: 'block', classification: 'failed', reason: 'red\n\u001b[31m' }),
      'action_block',
      'high',
    ],
    [attempt('e', { success: true, action_taken: 'escalate' }), 'action_escalate', 'medium'],
    [{ event_type: 'orchestrate_cycle_blocked', payload: { failing_guards: ['x', 7] } }, 'baseline_blocked', 'high'],
    [collision, 'claim_collision', 'medium'],
  ])('makes an item of %j', (event, reason_code, priority) => {
    const [item, ...more] = inbox([{ ...event, event_id: 'e' }]);
    expect(more).toEqual([]);
    expect(item).toMatchObject({ inbox_id: 'inbox-e', event_id: 'e', reason_code, priority, resolved: false });
    expect(item?.summary).toMatch(/^[ -~]+$/);
  });

  it.each([
    attempt('e', { success: false, action_taken: 'retry' }),
    { event_type: 'queue_claim_rejected', payload: { reason_code: 'max_active_claims' } },
    { event_type: 'batch_ended', payload: { failure_classification: 'security' } },
  ])('makes none of %j', (event) => {
    expect(inbox([event])).toEqual([]);
  });

  it.each([
    ['approve', [block('e1'), answer('e1', 'approve')], 'approve', true],
    ['reject', [block('e1'), answer('e1', 'reject')], 'reject', true],
    ['defer', [block('e1'), answer('e1', 'defer')], 'defer', false],
    ['an answer after defer', [block('e1'), answer('e1', 'defer'), answer('e1', 'reject')], 'reject', true],
    ['the first of two answers', [block('e1'), answer('e1', 'approve'), answer('e1', 'reject')], 'approve', true],
    ['a success of the goal', [block('e1'), attempt('e2', { success: true })], null, true],
    ['a success of another', [block('e1'), attempt('e2', { success: true }, 'b')], null, false],
    ['a success that is none', [block('e1'), attempt('e2', { success: 'true' })], null, false],
    ['an answer that is none', [block('e1'), answer('e1', 'drop'), answer('e1', ['approve'])], null, false],
    ['an answer before', [answer('e1', 'approve'), block('e1')], null, false],
  ])('ends by %s', (_what, events, latest_action, resolved) => {
    expect(inbox(events)).toMatchObject([{ inbox_id: 'inbox-e1', latest_action, resolved }]);
  });

  it('keeps the newest open of a goal and a reason', () => {
    const shown = inbox([block('e1'), block('e2'), block('e3', 'b'), { ...collision, event_id: 'e4' }]);
    expect(shown.map(({ event_id, resolved }) => [event_id, resolved])).toEqual([
      ...[
        ['e3', false],
        ['e2', false],
        ['e1', true],
        ['e4', false],
      ],
    ]);
  });

  it('sorts by priority, then by time, whatever its offset, then by the log', () => {
    const at = (event: object, timestamp: unknown) => ({ ...event, timestamp });
    const shown = inbox([
      at({ ...collision, event_id: 'low' }, '2026-11-28T00:00:00Z'),
      at(block('late', 'a'), '2026-11-27T02:00:00Z'),
      at(block('early', 'b'), '2026-11-27T02:30:00+01:00'),
      at(block('none', 'c'), 7),
      at(block('later', 'd'), '2026-11-27T03:00:00+01:00'),
    ]);
    expect(shown.map(({ event_id: id }) => id)).toEqual(['later', 'late', 'early', 'none', 'low']);
  });

  it('loses no item and opens none again, however a log goes on', () => {
    fc.assert(
      fc.property(someEvents, fc.nat(12), (events, length) => {
        const before = inbox(events.slice(0, length));
        const after = new Map(inbox(events).map((item) => [item.inbox_id, item]));
        for (const { inbox_id, resolved, reason_code } of before) {
          expect(after.get(inbox_id)).toMatchObject({ reason_code, ...(resolved ? { resolved } : {}) });
        }
        expect(inbox([...events, ...events])).toEqual(inbox(events));
        const open = inbox(events).filter(({ resolved }) => !resolved);
        expect(new Set(open.map(({ goal_id, reason_code }) => `${goal_id} ${reason_code}`)).size).toBe(open.length);
      }),
    );
  });
});
