import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEngineState, createTodoRow } from '../../../src/engine/core/rows.js';
import { resolveUndo } from '../../../src/protocol/undo/target.js';
import type { RunState } from '../../../src/run/state.js';
import { todo } from '../engine/support.js';

// control.md, Undoing: which todos are reopened, and whose commits are reverted.

/** Generates plans whose todos depend on some earlier ones. */
const plans = fc
  .array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
  .map((before) =>
    before.map((ids, at) => todo(`t${at}`, [...new Set(ids.filter((id) => id < at).map((id) => `t${id}`))])),
  );

function stateOf(todos: ReturnType<typeof todo>[], begun: number): RunState {
  const engine = {
    ...createEngineState(todos.map((one, at) => ({ ...createTodoRow(one), attempt: at < begun ? 1 : 0 }))),
    tasks: {},
    job: null,
  };
  return { name: 'work', status: 'live', engine } as unknown as RunState;
}

/** Whether one todo depends on another, directly or not; deliberately written differently from the code under test. */
function dependsOn(todos: ReturnType<typeof todo>[], id: string, on: string): boolean {
  const { dependsOn: direct = [] } = todos.find((one) => one.id === id) ?? {};
  return direct.some((one) => one === on || dependsOn(todos, one, on));
}

it('reopens exactly the named todos and their dependents that were begun, in plan order', () => {
  fc.assert(
    fc.property(plans, fc.nat(9), fc.nat(9), fc.nat(10), fc.boolean(), (todos, one, other, begun, withDependents) => {
      const named = [...new Set([one, other].map((at) => `t${at % todos.length}`))];
      const found = resolveUndo(stateOf(todos, begun), named.join(','), withDependents);
      const affected = todos
        .map(({ id }) => id)
        .filter((id) => named.includes(id) || named.some((on) => dependsOn(todos, id, on)));
      expect(found.reopened).toEqual(affected.filter((id) => Number(id.slice(1)) < begun));
      expect(found.undone).toEqual(withDependents ? affected : named);
    }),
  );
});

it('refuses a todo that is none, and says which was meant', () => {
  expect(() => resolveUndo(stateOf([todo('t0'), todo('t1')], 2), 't0,t11', false)).toThrow(/no todo "t11"/);
});
