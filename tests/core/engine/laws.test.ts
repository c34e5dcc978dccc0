// Laws of the pure decisions of an execution: for all plans, findings and programs (engine.md, Waves, Triage, Stages).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayOverlap } from '../../../src/documents/globs.js';
import { stepRunStage } from '../../../src/engine/core/final-stages.js';
import { createEngineState, createTodoRow } from '../../../src/engine/core/rows.js';
import { groupBlockedTodos, listDependents, listRedoneTodos, selectWave } from '../../../src/engine/core/scheduler.js';
import { type Findings, triage } from '../../../src/engine/core/triage.js';
import type { EngineState, TodoState } from '../../../src/run/engine-rows.js';
import { PROGRAM, todo } from './support.js';

const STATUSES = ['pending', 'pending', 'stale', 'running', 'done', 'done', 'failed'] as const;

/** Plans of up to eight todos with any statuses. Each todo depends on some earlier ones. */
const plans = fc
  .array(
    fc.record({
      after: fc.array(fc.nat(7), { maxLength: 2 }),
      files: fc.subarray(['src/a/**', 'src/b/**', 'src/a/x.ts', 'docs/**', 'tests/**'], { minLength: 1, maxLength: 1 }),
      status: fc.constantFrom(...STATUSES),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((rows): EngineState => {
    const todos = rows.map(({ after, files, status }, at): TodoState => {
      const dependsOn = [...new Set(after.filter((one) => one < at).map((one) => `t${one}`))];
      return { ...createTodoRow(todo(`t${at}`, dependsOn, files)), status };
    });
    return createEngineState(todos);
  });

function get(state: Pick<EngineState, 'todos'>, id: string): TodoState {
  const row = state.todos[id];
  if (row === undefined) throw new Error(`no todo ${id}`);
  return row;
}

const isReady = (state: EngineState, { status, dependsOn }: TodoState): boolean =>
  (status === 'pending' || status === 'stale') && dependsOn.every((id) => get(state, id).status === 'done');

describe('a wave', () => {
  it('takes what is ready, in plan order, no two that may touch the same file, and no more than it may', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 3 }), (state, limit) => {
        const wave = selectWave(state, limit).map((id) => get(state, id));
        expect(wave.length).toBeLessThanOrEqual(limit);
        expect(wave.every((one) => isReady(state, one))).toBe(true);
        expect(wave.map(({ id }) => id)).toEqual(state.order.filter((id) => wave.some((one) => one.id === id)));
        expect(wave.some((one, at) => wave.slice(at + 1).some((other) => mayOverlap(one, other)))).toBe(false);
      }),
    );
  });

  it('leaves out a ready todo only for the limit, or for one before it whose files it may touch', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 3 }), (state, limit) => {
        const wave = selectWave(state, limit);
        const left = state.order.filter((id) => isReady(state, get(state, id)) && !wave.includes(id));
        for (const id of left) {
          const before = wave.filter((other) => state.order.indexOf(other) < state.order.indexOf(id));
          const isInTheWay = before.some((other) => mayOverlap(get(state, other), get(state, id)));
          expect(isInTheWay || wave.length === limit).toBe(true);
        }
      }),
    );
  });
});

describe('dependents', () => {
  it('are closed: what depends on a dependent is one, and nothing that comes before', () => {
    fc.assert(
      fc.property(plans, (state) => {
        for (const id of state.order) {
          const found = listDependents(state, id);
          const known = new Set([id, ...found]);
          const missed = state.order.filter(
            (one) => !known.has(one) && get(state, one).dependsOn.some((d) => known.has(d)),
          );
          expect(missed).toEqual([]);
          expect(found.every((one) => get(state, one).dependsOn.some((d) => known.has(d)))).toBe(true);
        }
      }),
    );
  });

  it('redone twice are what is redone once; blocked ones are not done, and hang on a failed todo', () => {
    fc.assert(
      fc.property(plans, (state) => {
        const redone = listRedoneTodos(state, state.order.slice(0, 1));
        expect(listRedoneTodos(state, redone)).toEqual(redone);
        for (const [failed, blocked] of Object.entries(groupBlockedTodos(state))) {
          expect(get(state, failed).status).toBe('failed');
          expect(blocked.filter((id) => get(state, id).status === 'done')).toEqual([]);
          expect(listDependents(state, failed)).toEqual(expect.arrayContaining(blocked));
        }
      }),
    );
  });
});

const words = fc.array(fc.constantFrom('one', 'two'), { maxLength: 2 });
const findings: fc.Arbitrary<Findings> = fc.record({
  failed: words,
  violations: words,
  criticalSideEffects: words,
  environment: fc.constantFrom(null, 'no compiler'),
  adaptation: fc.constantFrom(
    null,
    ...['style', 'schema'].map((category) => ({ category, reason: 'r', todo: { ...todo('x'), title: 'x' } })),
  ),
  blocked: fc.constant(null),
});
const policies = fc.record({
  precedence: fc.constantFrom(
    ...([
      ['halt', 'adapt', 'retry'],
      ['adapt', 'halt', 'retry'],
      ['halt', 'retry', 'adapt'],
    ] as const),
  ),
  mustNot: fc.constantFrom('halt', 'retry'),
});

describe('triage', () => {
  it('never passes work with an unmet criterion, a violation, a critical side effect or a broken environment', () => {
    fc.assert(
      fc.property(plans, findings, policies, (state, found, { precedence, mustNot }) => {
        const rules = { ...PROGRAM.policies, triagePrecedence: [...precedence], mustNot } as typeof PROGRAM.policies;
        const verdict = triage(rules, state, get(state, 't0'), found, { askable: true });
        const isClean =
          [found.failed, found.violations, found.criticalSideEffects].every((list) => list.length === 0) &&
          found.environment === null;
        if (!isClean) expect(verdict.kind).not.toBe('pass');
        if (verdict.kind === 'adapt') expect(verdict.passed).toBe(found.failed.length + found.violations.length === 0);
        if (isClean && found.adaptation === null) expect(verdict).toEqual({ kind: 'pass' });
      }),
    );
  });
});

describe('the stages of a whole run', () => {
  const { finalize } = PROGRAM;
  const finals = fc
    .subarray([...finalize])
    .map((chosen) => [...chosen.filter((stage) => stage !== 'report'), 'report' as const]);

  it('end after each has passed once, and a stop leads to the report from wherever work has begun', () => {
    fc.assert(
      fc.property(finals, (chosen) => {
        const program = { ...PROGRAM, finalize: chosen };
        const passed: string[] = [];
        for (let stage = 'approvePlan'; stage !== 'ended'; stage = stepRunStage(program, stage, 'PASS'))
          passed.push(stage);
        expect(passed).toEqual(['approvePlan', 'approveCommands', 'stateBegin', 'todos', ...chosen]);
        for (const stage of passed.filter((one) => one !== 'report'))
          expect(stepRunStage(program, stage, 'STOP')).toBe(stage.startsWith('approve') ? 'ended' : 'report');
        for (const stage of [...passed, 'ended']) expect(stepRunStage(program, stage, 'REOPEN')).toBe('approvePlan');
        for (const stage of chosen.filter((one) => one === 'codeReview' || one === 'finalVerify'))
          expect(stepRunStage(program, stage, 'FIX')).toBe('todos');
      }),
    );
  });
});
