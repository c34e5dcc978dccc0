import { describe, expect, it } from 'vitest';
import { copyState } from '../../../src/run/codec.js';
import { getCurrent } from '../../../src/run/current.js';
import type { RunState } from '../../../src/run/state.js';
import { EXECUTING } from './states.js';

// A snapshot is shared by its readers: only what does not compile cannot be written (house.md, Rooms).

/** Never called: each line is refused by the compiler, or the directive above it is an error. */
function writeInPlace(state: RunState): void {
  const current = getCurrent(state);
  // @ts-expect-error a member of a snapshot
  state.status = 'aborted';
  // @ts-expect-error a list of a snapshot
  state.warnings.push('');
  // @ts-expect-error an entry of a map
  current.steps['a'] = { status: 'done', at: null };
  const row = current.engine?.todos['todo-1'];
  // @ts-expect-error a member of a row
  if (row !== undefined) row.status = 'done';
  const draft = copyState(state);
  const step = getCurrent(draft).steps['a'];
  // @ts-expect-error a row in a transaction, which is shared with the snapshot
  if (step !== undefined) step.status = 'done';
  // @ts-expect-error a list in a row
  getCurrent(draft).engine?.todos['todo-1']?.files.push('');
  const [first] = draft.recipes;
  // @ts-expect-error an earlier recipe of a workflow
  first.result = '';
}

describe('a transaction', () => {
  it('refuses a write in place when it is compiled', () => {
    expect(writeInPlace).toHaveLength(1);
  });

  it('replaces members, entries and rows, and the snapshot stays as it was', () => {
    const before = JSON.stringify(EXECUTING);
    const draft = copyState(EXECUTING);
    const current = getCurrent(draft);
    draft.status = 'aborted';
    draft.warnings.push('one');
    draft.preferences['a'] = true;
    current.steps['execute'] = { status: 'failed', at: null };
    current.agents['one'] = { status: 'done', outputHash: null, at: null };
    current.acknowledged['a9'] = { block: 'execute' };
    delete current.gates['approve'];
    const { engine } = current;
    if (engine === null) throw new Error('the sample executes a plan');
    engine.order.push('todo-9');
    engine.tasks = {};
    for (const [id, row] of Object.entries(engine.todos)) engine.todos[id] = { ...row, status: 'failed' };
    draft.recipes[1] = { ...current, engine: null };
    expect(JSON.stringify(EXECUTING)).toBe(before);
  });

  it('shares the rows that it leaves alone', () => {
    const draft = copyState(EXECUTING);
    expect(getCurrent(draft).engine?.todos['todo-1']).toBe(getCurrent(EXECUTING).engine?.todos['todo-1']);
    expect(draft.recipes[0]).toBe(EXECUTING.recipes[0]);
  });
});
