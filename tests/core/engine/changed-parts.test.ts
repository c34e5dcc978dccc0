import { describe, expect, it } from 'vitest';
import {
  mergeChangedParts,
  renderChangedKinds,
  renderChangedParts,
} from '../../../src/engine/act/plan/changed-parts.js';
import type { ChangedPart } from '../../../src/run/engine.js';
import type { TodoState } from '../../../src/run/engine-rows.js';

// living-plan.md, plan apply: several changes to one part are merged into their net effect.

const todo = (how: ChangedPart['how'], id = 'todo-1'): Omit<ChangedPart, 'at'> => ({
  how,
  part: 'todo',
  id,
  text: `Title of ${id}`,
});

const comesTo = (...steps: ChangedPart['how'][]) =>
  steps
    .reduce<readonly ChangedPart[]>((known, how, index) => mergeChangedParts(known, [todo(how)], `at-${index}`), [])
    .map(({ how, at }) => `${how} ${at}`);

describe('changes in several steps', () => {
  it.each<[ChangedPart['how'][], string[]]>([
    [['added', 'withdrawn'], []],
    [['added', 'changed'], ['added at-1']],
    [['changed', 'changed'], ['changed at-1']],
    [['changed', 'withdrawn'], ['withdrawn at-1']],
    [['withdrawn', 'added'], ['changed at-1']],
    [['withdrawn', 'added', 'withdrawn'], ['withdrawn at-2']],
  ])('%j', (steps, told) => {
    expect(comesTo(...steps)).toEqual(told);
  });

  it('of a todo and of a requirement of the same name are two', () => {
    const changes = [todo('changed', 'x'), { ...todo('withdrawn', 'x'), part: 'requirement' as const }];
    expect(mergeChangedParts([], changes, 'now')).toHaveLength(2);
  });
});

describe('what is told', () => {
  const at = '2026-11-24T17:00:00.000Z';

  it('says of a withdrawn todo that was done that its work stays', () => {
    const gone = { 'todo-1': { gone: true } as TodoState };
    expect(renderChangedParts({ changed: [{ ...todo('withdrawn'), at }], todos: gone })).toEqual([
      'withdrawn, though what was done for it stays: todo-1: Title of todo-1',
    ]);
  });

  it('in the report is a line for each kind, and bounded', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ ...todo('changed', `todo-${index}`), at }));
    const [line = '', ...more] = renderChangedKinds({ changed: many }, (instant) => instant.slice(0, 10));
    expect(more).toEqual([]);
    expect(line).toMatch(/^changed by a person, 2026-11-24: todo-0 \(Title of todo-0\), .* and 20 more$/);
  });
});
