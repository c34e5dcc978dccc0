import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeBaseline, DEFAULT_BASELINE_LIMITS, selectWindow } from '../../../src/wings/loop/core/baseline.js';
import { parseEvents } from '../../../src/wings/loop/core/log-lines.js';
import { lines, someEvents } from './log.js';

// loop-operations.md, The log: every formula of `observe baseline`.

const NOW = Date.parse('2026-11-27T12:00:00Z');
const measure = (text: string, days = 14) => {
  const { skipped, ...window } = selectWindow(parseEvents(text), days, NOW);
  return { skipped, ...computeBaseline(window, DEFAULT_BASELINE_LIMITS) };
};
/** Builds an attempt's event. @param minute since midnight */
const row = (goal_id: string, attempt: unknown, success: unknown, minute: number, more: object = {}) => ({
  timestamp: `2026-11-27T0${Math.floor(minute / 60)}:${`${minute % 60}`.padStart(2, '0')}:00Z`,
  event_type: 'auto_attempt',
  payload: { run_id: 'r', goal_id, attempt, success, ...more },
});
const queue = (type: string, more: object = {}) => ({
  event_type: `queue_${type}`,
  payload: { goal_id: 'a', ...more },
});

describe('the baseline', () => {
  it('has nothing to divide by in an empty log', () => {
    expect(measure('')).toEqual({
      ...{ skipped: 0, goal_runs: 0, success_rate: 0, first_pass_success_rate: 0, retry_rate: 0, block_rate: 0 },
      ...{ security_incident_rate: 0, mean_attempts_to_success: 0, mttr_minutes: null, claim_attempts: 0 },
      ...{ claim_collision_rate: 0, idempotent_reuse_rate: 0, stale_lease_recovery_count: 0, baseline_ready: false },
      failing_guards: ['min_goal_runs', 'min_first_pass_success_rate'],
    });
  });

  it('is what a count by hand says', () => {
    const shown = measure(
      lines([
        // Written out of order: the failure comes first in time.
        row('a', 2, true, 31, { action_taken: 'advance' }),
        row('a', 1, false, 10, { action_taken: 'retry' }),
        row('b', 1, true, 5, { action_taken: 'escalate' }),
        row('b', 1, true, 9, { action_taken: 'advance' }),
        row('c', 1, false, 0, { action_taken: 'retry', failure_classification: 'security' }),
        row('c', 2, false, 60, { action_taken: 'block' }),
        row('d', 1, true, 3, { action_taken: 'advance' }),
        row('e', 1, true, 3, { action_taken: 'advance' }),
        row('f', 1, true, 3, { action_taken: 'advance', run_id: 'other' }),
        // The same minute: ordered by attempt.
        row('g', 3, true, 50, { action_taken: 'advance' }),
        row('g', 2, false, 50, { action_taken: 'retry' }),
        ...[queue('claim_created'), queue('claim_created'), queue('claim_created')],
        queue('claim_rejected', { reason_code: 'goal_already_claimed' }),
        queue('claim_rejected', { reason_code: 'no_claimable_goals' }),
        ...[queue('idempotent_claim_reused'), queue('claim_expired'), queue('claim_renewed')],
        { event_type: 'other', timestamp: 7 },
      ]),
    );
    expect(shown).toEqual({
      ...{ skipped: 0, goal_runs: 7, success_rate: 0.857, first_pass_success_rate: 0.571, retry_rate: 0.429 },
      ...{ block_rate: 0.143, security_incident_rate: 0.143, mean_attempts_to_success: 1.5, mttr_minutes: 10.5 },
      ...{ claim_attempts: 5, claim_collision_rate: 0.2, idempotent_reuse_rate: 0.25, stale_lease_recovery_count: 1 },
      ...{ baseline_ready: false, failing_guards: ['max_claim_collision_rate'] },
    });
  });

  it('takes the last days, and skips what has no time, one to come, no run or no goal', () => {
    const at = (timestamp: unknown, more = {}) => ({ ...row('a', 1, true, 0, more), timestamp });
    const text = lines([
      at('2026-11-13T12:00:00Z'),
      at('2026-11-13T11:59:59Z'),
      at('2026-11-27T12:00:01Z'),
      at('2026-11-27T12:00:01'),
      at(undefined),
      at('2026-11-27T13:00:00+01:00', { run_id: 'now' }),
      at('2026-11-27T01:00:00Z', { run_id: 7 }),
      at('2026-11-27T01:00:00Z', { goal_id: null }),
    ]);
    expect(measure(`${text}{"half`)).toMatchObject({ goal_runs: 2, skipped: 6 });
    expect(measure(text, 15)).toMatchObject({ goal_runs: 2 });
    expect(measure(lines([at('2026-11-13T11:59:59Z')]))).toMatchObject({ goal_runs: 0, skipped: 0 });
  });

  it('holds each guard to its very edge', () => {
    const runs = (count: number) => Array.from({ length: count }, (_, n) => row(`g${n}`, 1, true, 0));
    const repaired = (minutes: number) => [row('x', 1, false, 0), row('x', 2, true, minutes)];
    const failing = (events: object[]) => measure(lines(events)).failing_guards;
    expect([failing(runs(5)), failing(runs(4))]).toEqual([[], ['min_goal_runs']]);
    expect(failing([...runs(5), ...repaired(180)])).toEqual([]);
    expect(failing([...runs(5), ...repaired(181)])).toEqual(['max_mttr_minutes']);
  });

  it('does not depend on the order of the log, nor on lines that come again', () => {
    fc.assert(
      fc.property(someEvents, (events) => {
        const timed = events.map((event, n) => ({
          ...event,
          timestamp: `2026-11-27T01:00:${String(n).padStart(2, '0')}Z`,
        }));
        const shown = measure(lines(timed));
        expect(measure(lines([...timed].reverse()))).toEqual(shown);
        expect(measure(lines([...timed, ...timed]))).toEqual(shown);
        for (const [name, figure] of Object.entries(shown))
          if (name.endsWith('_rate')) expect(figure).toSatisfy((rate: number) => rate >= 0 && rate <= 1);
      }),
    );
  });
});
