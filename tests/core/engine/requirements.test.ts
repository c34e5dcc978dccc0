import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRequirements, type ProofState } from '../../../src/engine/core/requirements.js';
import type { PlanAcceptance } from '../../../src/plan/model/schema.js';
import { aTodo } from '../plan/fixture.js';

const requirement = { id: 'r-1', quote: 'x', from: 'request' as const, text: 'x' };

/** Judges one requirement; each of `states` gives the kind of an acceptance that proves it, and that proof's state. */
function judge(states: [PlanAcceptance['kind'], ProofState][], reviewed: { id: string; met: boolean; why: string }[]) {
  const acceptance = states.map(([kind], index): PlanAcceptance => {
    const id = `p-${index}`;
    return kind === 'command' ? { id, kind, run: ['x'], proves: ['r-1'] } : { id, kind, text: 'x', proves: ['r-1'] };
  });
  const todo = aTodo('todo-1', { serves: ['r-1'], acceptance });
  const readProof = (_todo: unknown, item: PlanAcceptance) => states[Number(item.id.slice(2))]?.[1] ?? 'open';
  return judgeRequirements({ requirements: [requirement], todos: [todo] }, readProof, reviewed)[0];
}

const proof = fc.tuple(
  fc.constantFrom<PlanAcceptance['kind']>('command', 'assertion', 'human'),
  fc.constantFrom<ProofState>('holds', 'fails', 'open', 'outdated'),
);
const review = fc
  .option(fc.boolean(), { nil: undefined })
  .map((met) => (met === undefined ? [] : [{ id: 'r-1', met, why: 'w' }]));

describe('a requirement', () => {
  it('is met only when every proof holds, or the review stands in for assertions alone', () => {
    fc.assert(
      fc.property(fc.array(proof, { maxLength: 4 }), review, (states, reviewed) => {
        const all = states.length > 0 && states.every(([, state]) => state === 'holds');
        const rest = states.filter(([, state]) => state !== 'holds');
        const readable = rest.every(([kind, state]) => kind === 'assertion' && state !== 'fails');
        const said = reviewed[0]?.met;
        const met = said !== false && (all || (said === true && readable));
        expect(judge(states, reviewed)?.result === 'met').toBe(met);
      }),
    );
  });

  it('is not met when a proof fails or the review says so, whatever else holds', () => {
    expect(
      judge(
        [
          ['command', 'fails'],
          ['human', 'holds'],
        ],
        [{ id: 'r-1', met: true, why: '' }],
      )?.result,
    ).toBe('not met');
    expect(judge([['command', 'holds']], [{ id: 'r-1', met: false, why: 'because' }])).toMatchObject({
      result: 'not met',
      why: 'because',
    });
  });

  it('that nothing proves is open', () => {
    expect(judge([], [])?.result).toBe('open');
    expect(judge([['human', 'open']], [{ id: 'r-1', met: true, why: '' }])?.result).toBe('open');
  });
});
