import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openGoalViews } from '../../../src/wings/loop/core/goal-views.js';
import { parseEvents, readInstant } from '../../../src/wings/loop/core/log-lines.js';
import { lineOf, lines, someEvents } from './log.js';

// loop-operations.md, The log: its lines are read in the order of the file, and no field of a line is trusted.

const views = (text: string) => {
  const open = openGoalViews();
  for (const event of parseEvents(text).events) open.take(event);
  return Object.fromEntries(open.list());
};

describe('a log that is read', () => {
  it('takes what is an event, once, and counts the rest', () => {
    const one = lineOf({ event_id: 'evt_1' });
    const nameless = '{"event_type":"x","payload":[1]}';
    const text = `\ufeff${one}\r\n\n${one}\n[1]\nnull\n"x"\n{}\n{"event_type":7}\n{"event_type":""}\n${nameless}\n${nameless}\n{"event_ty`;
    const { events, ...count } = parseEvents(text);
    expect(count).toEqual({ total: 4, duplicates: 2, skipped: 7 });
    expect(events.map(({ event_id: id }) => id)).toEqual(['evt_1', expect.stringMatching(/^evt_[0-9a-f]{24}$/)]);
    expect(events[1]).toMatchObject({ event_type: 'x', timestamp: null, goal_id: null, payload: {} });
    expect(parseEvents('')).toEqual({ events: [], total: 0, duplicates: 0, skipped: 0 });
  });

  it.each([7, null, '', '\u001b[2J', 'x'.repeat(129), 'two words', {}])('takes no id %j as it is', (event_id) => {
    const [event] = parseEvents(lineOf({ event_id })).events;
    expect(event?.event_id).toMatch(/^evt_[0-9a-f]{24}$/);
  });

  it.each(['../x', '__proto__', 7, '', 'x'.repeat(49)])('takes %j for no goal', (goal_id) => {
    const [event] = parseEvents(lineOf({ payload: { goal_id } })).events;
    expect(event?.goal_id).toBeNull();
  });

  it.each([
    ['2026-11-27T01:02:03+01:00', true],
    ['2026-11-27T00:02Z', true],
    ['2026-11-27T01:02:03', false],
    ['2026-11-27', false],
    ['2026-13-27T01:02:03Z', false],
    ['yesterday', false],
  ])('finds an instant in %s: %s', (timestamp, is) => {
    expect(readInstant(timestamp) !== null).toBe(is);
  });

  it('makes nothing of any line that it cannot use', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string(), someEvents.map(lines))), (given) => {
        const { events, total, duplicates } = parseEvents(given.join('\n'));
        expect(total - duplicates).toBe(events.length);
        views(given.join('\n'));
      }),
    );
  });

  it('reads a log of 50 MB', () => {
    const line = `${lineOf({ event_id: 'evt_1', payload: { goal_id: 'a', reason: 'x'.repeat(100_000) } })}\n`;
    const text = line.repeat(Math.ceil((50 * 1024 * 1024) / line.length));
    const { events, duplicates, total } = parseEvents(text);
    expect([events.length, total - duplicates]).toEqual([1, 1]);
  });
});

describe('views of goals', () => {
  it('count outcomes of auto_attempt alone, and hold the claim', () => {
    const attempt = (more: object) => ({ event_type: 'auto_attempt', payload: { goal_id: 'a', ...more } });
    const claim = (type: string, id: string, more = {}) => ({
      event_type: `queue_claim_${type}`,
      payload: { goal_id: 'a', claim_id: id, worker_id: 'w', expires_at: 'e', ...more },
    });
    const shown = views(
      lines([
        attempt({ success: false, action_taken: 'retry', failure_classification: 'security' }),
        attempt({ success: false, action_taken: 'block' }),
        attempt({ success: true, action_taken: 'escalate' }),
        attempt({ success: 'true' }),
        { event_type: 'other', payload: { goal_id: 'a', success: true, action_taken: 'block' } },
        claim('created', 'c1'),
        claim('released', 'c1'),
        claim('created', 'c2'),
        claim('expired', 'c1'),
        claim('rejected', '', { reason_code: 'goal_already_claimed' }),
        { event_type: 'x\u001b[31m\n', timestamp: 'now', payload: { goal_id: 'b' } },
      ]),
    );
    expect(shown['a']).toEqual({
      ...{ event_count: 10, success_count: 1, failure_count: 3, retry_count: 1, block_count: 1, escalate_count: 1 },
      ...{ security_incidents: 1, claim_collision_count: 1, last_event_type: 'queue_claim_rejected' },
      ...{ last_timestamp: '2026-11-27T01:02:03Z', last_action_taken: null },
      ...{ claim_id: 'c2', claimed_by: 'w', claim_expires_at: 'e' },
    });
    expect(shown['b']).toMatchObject({ last_event_type: 'x', last_timestamp: null });
  });

  it('are the same of a log whose lines come twice, or with their keys in another order', () => {
    fc.assert(
      fc.property(someEvents, (events) => {
        const turned = events.map((event) => Object.fromEntries(Object.entries(event).reverse()));
        expect(views(lines(events) + lines(events))).toEqual(views(lines(events)));
        expect(views(lines(turned))).toEqual(views(lines(events)));
      }),
    );
  });
});
