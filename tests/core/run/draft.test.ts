import { describe, expect, it } from 'vitest';
import { copyState } from '../../../src/run/codec.js';
import type { RunState } from '../../../src/run/state.js';
import { EXECUTING } from './states.js';

// A snapshot's readers share it, so the compiler must prevent every write to it (house.md, Rooms).

/** Never called. The compiler must refuse each write; if it accepted one, the directive above would be an error. */
function writeInPlace(state: RunState): void {
  // @ts-expect-error a member of a snapshot is read-only
  state.status = 'aborted';
  // @ts-expect-error a list of a snapshot is read-only
  state.warnings.push('');
  // @ts-expect-error an entry of a map is read-only
  state.steps['a'] = { status: 'done', at: null };
  const row = state.engine?.todos['todo-1'];
  // @ts-expect-error a member of a row is read-only
  if (row !== undefined) row.status = 'done';
  const draft = copyState(state);
  const step = draft.steps['a'];
  // @ts-expect-error a row is read-only in a transaction, too, which shares it with the snapshot
  if (step !== undefined) step.status = 'done';
  // @ts-expect-error a list in a row is read-only
  draft.engine?.todos['todo-1']?.files.push('');
  const [first] = draft.workflow?.earlier ?? [];
  // @ts-expect-error the record of an earlier phase is read-only
  if (first !== undefined) first.result = '';
}

describe('a transaction', () => {
  it('refuses a write in place when it is compiled', () => {
    expect(writeInPlace).toHaveLength(1);
  });

  it('replaces members, entries and rows, and the snapshot stays as it was', () => {
    const before = JSON.stringify(EXECUTING);
    const draft = copyState(EXECUTING);
    draft.status = 'aborted';
    draft.warnings.push('one');
    draft.preferences['a'] = true;
    draft.steps['execute'] = { status: 'failed', at: null };
    draft.agents['one'] = { status: 'done', outputHash: null, at: null };
    draft.acknowledged['a9'] = { block: 'execute' };
    delete draft.gates['approve'];
    const { engine } = draft;
    if (engine === null) throw new Error('the sample executes a plan');
    engine.order.push('todo-9');
    engine.tasks = {};
    for (const [id, row] of Object.entries(engine.todos)) engine.todos[id] = { ...row, status: 'failed' };
    draft.workflow?.earlier.pop();
    draft.engine = null;
    expect(JSON.stringify(EXECUTING)).toBe(before);
  });

  it('shares the rows that it leaves alone', () => {
    const draft = copyState(EXECUTING);
    expect(draft.engine?.todos['todo-1']).toBe(EXECUTING.engine?.todos['todo-1']);
    expect(EXECUTING.workflow?.earlier[0]).toBeDefined();
    expect(draft.workflow?.earlier[0]).toBe(EXECUTING.workflow?.earlier[0]);
  });
});
