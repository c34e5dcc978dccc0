import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { buildEvent, nameBatch, renderEvents } from '../../../src/wings/loop/core/events.js';
import { chooseGoals } from '../../../src/wings/loop/core/order.js';
import {
  decideGoal,
  findPause,
  listNotRun,
  planStarts,
  type ScheduleInput,
} from '../../../src/wings/loop/core/schedule.js';
import { completeGoal, type LoopGoal, listGoals } from '../../../src/wings/loop/goals.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import type { Attempt, Batch, LoopState, Verdict } from '../../../src/wings/loop/state-schema.js';

// loop-core.md, auto: what a batch starts depends only on the stored state and the goals.

const goal = (id: string, more: Partial<LoopGoal> = {}): LoopGoal => ({
  ...completeGoal({ id, title: id, status: 'active' }, []),
  ...more,
});

const batch = (goals: string[], more: Partial<Batch> = {}): Batch => ({
  ...{ runId: 'r', startedAt: '2026-11-27T00:00:00.000Z', endedAt: null, branch: 'main', base: 'b', goals },
  ...{ sessions: 0, failures: 0, toolErrors: 0, pausedUntil: null, costUsd: 0, outcomes: {}, ...more },
});

const attempts = (states: Record<string, Attempt['state']>): LoopState => ({
  ...EMPTY_LOOP,
  attempts: Object.fromEntries(
    Object.entries(states).map(([id, state]) => [`${id}#1`, { goal: id, n: 1, state } as Attempt]),
  ),
});

const desk = (goals: LoopGoal[], more: Partial<ScheduleInput> = {}): ScheduleInput => ({
  ...{ state: EMPTY_LOOP, batch: batch(listGoals(goals).map(({ id }) => id)), goals, parallel: 1 },
  config: {
    limits: { minutes: 480, sessions: 50, failures_in_a_row: 3, cost_usd: 5 },
    backoff_minutes: [1, 5],
  },
  now: Date.parse('2026-11-27T01:00:00.000Z'),
  spent: 3_600_000,
  ...more,
});

const idsOf = (goals: readonly LoopGoal[]): string[] => goals.map(({ id }) => id);

describe('what is begun', () => {
  it('never more than there is room for, never one that is at work, settled or waits for another', () => {
    const state = fc.constantFrom<Attempt['state']>('session', 'judging', 'parked', 'unmoved');
    const goals = fc.array(
      fc.record({
        status: fc.constantFrom<LoopGoal['status']>('active', 'done', 'blocked'),
        work: fc.option(state),
        settled: fc.boolean(),
        needs: fc.nat(),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(goals, fc.integer({ min: 1, max: 4 }), (given, parallel) => {
        const all = given.map(({ status, needs }, index) =>
          goal(`g${index}`, { status, depends_on: index === 0 ? [] : [`g${needs % index}`] }),
        );
        const working = Object.fromEntries(given.flatMap(({ work }, index) => (work ? [[`g${index}`, work]] : [])));
        const outcomes = Object.fromEntries(
          given.flatMap(({ settled }, index) => (settled ? [[`g${index}`, { action: 'block' }]] : [])),
        ) as Batch['outcomes'];
        const { start } = planStarts(
          desk(all, { parallel, state: attempts(working), batch: batch(idsOf(all), { outcomes }) }),
        );
        const busy = Object.values(working).filter((one) => one === 'session' || one === 'judging').length;
        expect(start.length).toBeLessThanOrEqual(Math.max(0, parallel - busy));
        for (const { id, status, depends_on: needs } of start) {
          expect([status, working[id], outcomes[id]]).toEqual(['active', undefined, undefined]);
          for (const need of needs) expect(all.find((one) => one.id === need)?.status).toBe('done');
        }
      }),
    );
  });

  it.each([
    ['minutes', {}, { spent: 480 * 60_000 }],
    ['sessions', { sessions: 50 }, {}],
    ['failures_in_a_row', { failures: 3 }, {}],
    ['cost_usd', { costUsd: 5 }, {}],
  ])('nothing once limits.%s is reached, and what is left is named with it', (limit, spent, more) => {
    const at = desk([goal('one')], { batch: batch(['one'], spent), ...more });
    const { start, over } = planStarts(at);
    expect([start, over]).toEqual([[], expect.stringContaining(`limits.${limit}`)]);
    expect(listNotRun(at, over)).toEqual([{ id: 'one', reason: over }]);
  });

  it('no more than there are sessions left, those that are about to begin included', () => {
    const goals = ['a', 'b', 'c', 'd'].map((id) => goal(id));
    const more = { parallel: 4, state: attempts({ a: 'preparing' }), batch: batch(idsOf(goals), { sessions: 48 }) };
    expect(idsOf(planStarts(desk(goals, more)).start)).toEqual(['b']);
    const last = { ...more, batch: batch(idsOf(goals), { sessions: 49 }) };
    expect(planStarts(desk(goals, last))).toEqual({ start: [], pause: null, over: null });
  });

  it('nothing while a tool is waited for, and nothing more when it fails again and again', () => {
    const paused = batch(['one'], { toolErrors: 1, pausedUntil: '2026-11-27T01:00:30.000Z' });
    expect(planStarts(desk([goal('one')], { batch: paused }))).toEqual({ start: [], pause: 30_000, over: null });
    expect(planStarts(desk([goal('one')], { batch: batch(['one'], { toolErrors: 3 }) })).over).toMatch(
      /again and again/,
    );
    // The clock was set back meanwhile: that does not lengthen the pause.
    const back = { batch: paused, now: Date.parse('2026-11-26T01:00:00.000Z') };
    expect(idsOf(planStarts(desk([goal('one')], back)).start)).toEqual(['one']);
    expect([1, 2, 3].map((errors) => findPause([1, 5], errors))).toEqual([1, 5, null]);
  });
});

describe('which goals', () => {
  const tree = [
    goal('top', { children: [goal('low', { depends_on: ['late'] }), goal('off', { status: 'pending' })] }),
    goal('late'),
    goal('person', { mode: 'interactive' }),
  ];
  const choose = (named?: string, recursive = false, newest: string | null = null): string[] =>
    idsOf(chooseGoals(tree, { named, recursive, newest }));
  const refusal = (named: string): string => {
    try {
      choose(named);
    } catch (error) {
      if (error instanceof DevCliError) return `${error.code} ${error.message}`;
    }
    return '';
  };

  it('the deeper first, what is depended on before, the newest handoff’s before all', () => {
    expect(choose(undefined, true)).toEqual(['late', 'low']);
    expect(choose()).toEqual(['late']);
    expect(choose('late')).toEqual(['late']);
    const flat = ['a', 'b', 'c'].map((id) => goal(id));
    expect(idsOf(chooseGoals(flat, { recursive: true, newest: 'c' }))).toEqual(['c', 'a', 'b']);
  });

  it.each([
    ['nowhere', 'no such goal'],
    ['off', 'status is pending'],
    ['person', 'interactive'],
    ['top', 'divided into other goals'],
    ['low', 'depends on late'],
  ])('%s is refused: %s', (named, why) => {
    expect(refusal(named)).toMatch(/^GOAL_REFUSED /);
    expect(refusal(named)).toContain(why);
  });
});

describe('what a verdict makes of a goal', () => {
  const verdict = (classification: string, action: Verdict['action']): Verdict => ({
    ...{ classification, action, success: action === 'integrate', reason: 'why' },
  });
  it.each([
    ['complete', 'integrate', 2, 'done', 'advance', 0],
    ['failed', 'retry', 0, null, 'retry', 1],
    ['failed', 'retry', 2, 'blocked', 'block', 0],
    ['blocked', 'block', 0, 'blocked', 'block', 0],
    ['tool-error', 'pause', 2, null, 'retry', 2],
    ['interrupted', 'stop', 2, null, 'retry', 2],
  ] as const)('%s after %s', (classification, action, before, status, taken, counted) => {
    expect(decideGoal(verdict(classification, action), before, 3)).toEqual({ status, action: taken, counted });
  });
});

describe('the log', () => {
  it('an event has the same id for the same key, and holds no secret', () => {
    const about = { key: 'r:one#1:retry', at: '2026-11-27T00:00:00.000Z', payload: { reason: 'password=hunter22x' } };
    const event = buildEvent('auto_attempt', about);
    expect(event).toMatchObject({
      event_id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      schema_version: 'event_bus.v1',
    });
    expect(buildEvent('auto_attempt', about)['event_id']).toBe(event['event_id']);
    expect(renderEvents([event])).toMatch(/^\{.*\[masked\].*\}\n$/);
    expect(nameBatch(0, 'abcd')).toMatch(/^(1970|1969)\d{4}T\d{6}[+-]\d{4}-abcd$/);
  });
});
