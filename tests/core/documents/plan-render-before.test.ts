import { describe, expect, it } from 'vitest';
import { followsFrom, isEdited, readBoxes, renderAgain, tickBox } from '../../../src/documents/plan-boxes.js';
import { renderPlan } from '../../../src/documents/plan-render.js';
import type { PlanContent } from '../../../src/documents/plan-schema.js';
import { carryBoxes } from '../../../src/documents/unchanged-todos.js';
import { goldenRuns } from '../../support/golden.mjs';
import { aPlan, aTodo } from './plan-fixture.js';

// PLAN.md as earlier releases rendered it goes on counting as what it was (tests/golden/README.md).

const PLANS = goldenRuns().flatMap(({ title, load }) => {
  const { version, files } = load();
  // Later releases render another form, which has tests of its own.
  if (!['0.1.0', '0.2.0'].includes(version)) return [];
  const path = Object.keys(files).find((name) => name.endsWith('/PLAN.md'));
  const text = path === undefined ? undefined : files[path];
  if (path === undefined || text === undefined) return [];
  const plan = JSON.parse(files[path.replace('PLAN.md', 'plan-content.json')] ?? '') as PlanContent;
  return [{ what: title, text, plan }];
});

/** Those to which an execution has added nothing. */
const ORIGINAL = PLANS.filter(({ text, plan }) => Object.keys(readBoxes(text)).length === plan.todos.length);

describe('a PLAN.md of an earlier release', () => {
  it('is there', () => {
    expect(ORIGINAL.length).toBeGreaterThan(20);
    expect(PLANS.length).toBeGreaterThan(ORIGINAL.length);
  });

  it.each(PLANS)('is not edited until somebody edits it: $what', ({ text }) => {
    expect(isEdited(text)).toBe(false);
    expect(isEdited(text.replaceAll('\n', '\r\n'))).toBe(false);
    expect(isEdited(text.replace('Objectives', 'Aims'))).toBe(true);
  });

  it.each(ORIGINAL)('follows from its plan and from no other: $what', ({ text, plan }) => {
    expect(followsFrom(text, plan)).toBe(true);
    const [first] = plan.todos;
    expect(followsFrom(tickBox(text, first?.id ?? ''), plan)).toBe(true);
    const others: PlanContent[] = [
      { ...plan, objectives: { ...plan.objectives, core: 'Another' } },
      { ...plan, todos: plan.todos.slice(1) },
      // What that form cannot show.
      { ...plan, size: 'large' },
      { ...plan, decisions: [] },
      { ...plan, requirements: [] },
      { ...plan, todos: plan.todos.map((todo) => ({ ...todo, serves: [] })) },
      { ...plan, objectives: { ...plan.objectives, mustNotDo: [{ text: 'x', paths: ['x'] }] } },
    ];
    for (const other of others) expect(followsFrom(text, other)).toBe(false);
  });

  it('keeps its form and its boxes when an execution adds a todo', () => {
    const { text, plan } = ORIGINAL[0] as (typeof ORIGINAL)[number];
    const id = plan.todos[0]?.id ?? '';
    const ticked = tickBox(text, id);
    const more = { ...plan, todos: [...plan.todos, aTodo('todo-9')] };
    const after = renderAgain(ticked, more, carryBoxes(ticked, more));
    expect(after.slice(0, 50)).toBe(text.slice(0, 50));
    expect(readBoxes(after)).toMatchObject({ [id]: true, 'todo-9': false });
    expect([followsFrom(after, more), followsFrom(after, plan), isEdited(after)]).toEqual([true, false, false]);
  });

  it('is no form of a plan that it cannot show: that one is rendered as today', () => {
    const { text } = ORIGINAL[0] as (typeof ORIGINAL)[number];
    const plan = aPlan({ size: 'middle' });
    expect(renderAgain(text, plan)).toBe(renderPlan(plan));
  });
});
