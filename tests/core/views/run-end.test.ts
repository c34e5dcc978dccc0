import { describe, expect, it } from 'vitest';
import { describeRunEnd } from '../../../src/views/standstill.js';

type State = Parameters<typeof describeRunEnd>[0];
type Done = Parameters<typeof describeRunEnd>[1];

function describeYou(state: object, done: object): unknown {
  const run = { name: 'add-x', engine: null, workflow: null, ...state };
  const action = { outcome: 'completed', summary: 'done', artifacts: ['.dev/specs/add-x/PLAN.md'], ...done };
  return describeRunEnd(run as State, action as unknown as Done).you;
}

describe('how an ended run goes on', () => {
  it('a plan that was made and not carried out: by the skill that builds it', () => {
    expect(describeYou({}, {})).toEqual(['to have it built, tell the agent: /execute add-x']);
  });

  it.each([
    ['carried out', { engine: { waits: null } }, {}],
    ['carried out by an earlier phase', { workflow: { earlier: [{ engine: { waits: null } }] } }, {}],
    ['without a plan', {}, { artifacts: ['.dev/specs/add-x/summary.md'] }],
    ['with a document of a like name', {}, { artifacts: ['.dev/specs/add-x/TESTPLAN.md'] }],
    ['aborted', {}, { outcome: 'aborted' }],
  ])('%s: not at all', (_, state, done) => {
    expect(describeYou(state, done)).toEqual(['nothing to do']);
  });

  it('one that can be reopened: by its command', () => {
    const resume = { command: 'step invalidate', input: { name: 'add-x' } };
    expect(describeYou({}, { outcome: 'halted', resume })).toEqual(['reopen it: ', resume]);
  });
});
