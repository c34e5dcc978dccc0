import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePlans } from '../../../src/plan/changes/merge.js';
import type { PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import { aCommand, aPlan, aTodo } from './fixture.js';
import { anyPlan } from './rich.js';

// living-plan.md, plan edit: edits of different parts are merged; edits of the same part are reported as conflicts.

function merged(base: PlanContent, mine: PlanContent, theirs: PlanContent): PlanContent {
  const result = mergePlans(base, mine, theirs);
  if (result.kind === 'conflict') throw new Error(JSON.stringify(result.conflicts));
  return result.plan;
}

function conflicts(base: PlanContent, mine: PlanContent, theirs: PlanContent): string[] {
  const result = mergePlans(base, mine, theirs);
  return result.kind === 'conflict' ? result.conflicts.map(({ target }) => target) : [];
}

const change = (plan: PlanContent, id: string, how: Partial<PlanTodo>): PlanContent => ({
  ...plan,
  todos: plan.todos.map((todo) => (todo.id === id ? { ...todo, ...how } : todo)),
});
const drop = (plan: PlanContent, id: string): PlanContent => ({
  ...plan,
  todos: plan.todos.filter((todo) => todo.id !== id),
});
const add = (plan: PlanContent, ...todos: PlanTodo[]): PlanContent => ({ ...plan, todos: [...plan.todos, ...todos] });
const ids = ({ todos }: PlanContent) => todos.map(({ id }) => id);

/** Edits of one part each; no two of them touch the same part. */
const EDITS: ((plan: PlanContent) => PlanContent)[] = [
  (plan) => change(plan, 'todo-1', { title: 'Otherwise' }),
  (plan) => change(plan, 'todo-1', { steps: ['Otherwise'] }),
  (plan) => change(plan, 'todo-2', { risk: 'high', files: ['other/**'] }),
  (plan) => change(plan, 'todo-2', { acceptance: [aCommand('mine'), ...(plan.todos[1]?.acceptance ?? [])] }),
  (plan) => ({ ...plan, objectives: { ...plan.objectives, core: 'Otherwise' } }),
  (plan) => ({ ...plan, risks: [{ text: 'New', severity: 'low' }] }),
  (plan) => add(plan, aTodo('todo-9')),
  (plan) => ({ ...plan, todos: plan.todos.toReversed() }),
];

describe('two edits of a plan', () => {
  it('which say the same, or nothing, are one', () => {
    fc.assert(
      fc.property(anyPlan, anyPlan, (base, other) => {
        expect(merged(base, other, base)).toEqual(other);
        expect(merged(base, base, other)).toEqual(other);
        expect(merged(base, other, other)).toEqual(other);
      }),
      { numRuns: 30 },
    );
  });

  it('go together in any order where they change different parts', () => {
    fc.assert(
      fc.property(anyPlan, fc.subarray(EDITS), (base, chosen) => {
        const mine = chosen.reduce((plan, edit) => edit(plan), base);
        const rest = EDITS.filter((edit) => !chosen.includes(edit));
        const theirs = rest.reduce((plan, edit) => edit(plan), base);
        const both = merged(base, mine, theirs);
        expect(merged(base, theirs, mine)).toEqual(both);
        expect(both.todos.find(({ id }) => id === 'todo-1')).toMatchObject({
          title: 'Otherwise',
          steps: ['Otherwise'],
        });
        expect(both.todos.find(({ id }) => id === 'todo-2')).toMatchObject({ risk: 'high', files: ['other/**'] });
        expect(both.objectives.core).toBe('Otherwise');
        expect(ids(both).toSorted()).toEqual(['a', 'todo-1', 'todo-2', 'todo-9']);
      }),
      { numRuns: 60 },
    );
  });

  it('which change the same part keep it apart, by its name', () => {
    const base = aPlan();
    const [one, other] = [change(base, 'todo-1', { title: 'A' }), change(base, 'todo-1', { title: 'B', risk: 'high' })];
    expect(conflicts(base, one, other)).toEqual(['todo-1 title']);
    expect(conflicts(base, drop(base, 'todo-1'), other)).toEqual(['todo-1']);
    expect(conflicts(base, add(base, aTodo('n', { title: 'A' })), add(base, aTodo('n', { title: 'B' })))).toEqual([
      'n',
    ]);
    const command = (run: string) => change(base, 'todo-2', { acceptance: [aCommand('ac-1', [run])] });
    expect(conflicts(base, command('a'), command('b'))).toEqual(['todo-2 acceptance ac-1']);
    const core = (text: string) => ({ ...base, objectives: { ...base.objectives, core: text } });
    expect(conflicts(base, core('a'), core('b'))).toEqual(['objectives core']);
    const order = (...indices: number[]) => ({ ...base, todos: indices.flatMap((at) => base.todos[at] ?? []) });
    expect(conflicts(base, order(2, 1, 0), order(1, 0, 2))).toEqual(['todos']);
  });

  it('put what both add where each has put it, theirs first', () => {
    const base = aPlan();
    const mine = { ...base, todos: [aTodo('first'), ...add(base, aTodo('mine')).todos] };
    const theirs = add(drop(base, 'todo-2'), aTodo('theirs'));
    expect(ids(merged(base, mine, theirs))).toEqual(['first', 'todo-1', 'todo-3', 'theirs', 'mine']);
  });
});
