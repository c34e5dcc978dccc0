import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followsFrom, isEdited, renderAgain, tickBox } from '../../../src/documents/plan-boxes.js';
import { readPlanEdits } from '../../../src/documents/plan-edit/read-plan-edits.js';
import { foldCode } from '../../../src/documents/plan-folded.js';
import { renderPlan } from '../../../src/documents/plan-render.js';
import type { PlanContent } from '../../../src/documents/plan-schema.js';
import { aPlan, aTodo } from './plan-fixture.js';
import { anyPlan } from './plan-rich.js';

// PLAN.md as it was once rendered, with one blank for the white space in code, goes on counting as what it was.

const WIDE = 'prints `(default 3000)  (env PORT)`';
const ONCE = 'prints `(default 3000) (env PORT)`';

const { originalRequest: _, ...context } = aPlan().context;
const PLAN: PlanContent = aPlan({
  context: { ...context, assumptions: [`- ${WIDE}\n- - other`, 'x'] },
  objectives: { ...aPlan().objectives, core: WIDE },
  todos: [aTodo('todo-1', { title: WIDE, steps: [WIDE, 'Second'], mustNotDo: [{ text: WIDE, paths: ['a  b'] }] })],
});
const SETTING = { name: 'add-auth' };
const now = renderPlan(PLAN, {}, SETTING);
const once = renderPlan(JSON.parse(JSON.stringify(PLAN).replaceAll(WIDE, ONCE)), {}, SETTING);

describe('a PLAN.md with one blank for those of code', () => {
  it('is another text, and follows from the plan nevertheless', () => {
    expect(now).toContain(WIDE);
    expect(once).not.toContain(WIDE);
    expect(once).toContain('(`a  b`)');
    expect([followsFrom(now, PLAN), followsFrom(once, PLAN)]).toEqual([true, true]);
    expect(followsFrom(tickBox(once, 'todo-1'), PLAN)).toBe(true);
    expect(isEdited(once)).toBe(false);
    expect(renderAgain(tickBox(once, 'todo-1'), PLAN, { 'todo-1': true })).toBe(tickBox(once, 'todo-1'));
  });

  it('follows from no plan that says something else', () => {
    for (const other of [{ ...PLAN, size: 'large' as const }, aPlan()]) expect(followsFrom(once, other)).toBe(false);
    expect(followsFrom(once.replaceAll(ONCE, WIDE), PLAN)).toBe(false);
  });

  it('is read back: what was not edited keeps its blanks', () => {
    const edits = readPlanEdits(PLAN, once.replace('Second', 'Another'), once);
    const [todo] = PLAN.todos;
    expect(edits).toMatchObject({ kind: 'changed', plan: { ...PLAN, todos: [{ ...todo, steps: [WIDE, 'Another'] }] } });
  });

  it('of a plan whose request is quoted shows the request no second time', () => {
    const quoting: PlanContent = {
      ...PLAN,
      context: { ...PLAN.context, originalRequest: WIDE },
      requirements: [{ id: 'r-1', quote: WIDE, from: 'request', text: 'x' }],
    };
    const text = renderPlan(foldCode(quoting) ?? quoting, {}, SETTING);
    expect(text).not.toContain('## Request');
    expect(followsFrom(text, quoting)).toBe(true);
  });

  it('is told from none where no code has more than single blanks', () => {
    expect(foldCode(aPlan())).toBe(null);
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const folded = foldCode(plan);
        if (folded === null) return;
        expect(foldCode(folded)).toBe(null);
        expect(renderPlan(folded)).not.toBe(renderPlan(plan));
      }),
    );
  });
});
