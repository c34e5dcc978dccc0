import { describe, expect, it } from 'vitest';
import { compileProgram } from '../../../src/machine/config.js';
import { startProgram, transition } from '../../../src/machine/transition.js';
import { expectWithin } from '../../support/growth.js';
import { always, block, DONE, init, invalidate, lastOf, never, program } from './programs.js';

const MANY = 200;
const chain = program(
  init,
  block('first'),
  ...Array.from({ length: MANY }, (_, index) => block(`b${index}`, { when: 'x' })),
  block('last'),
);

describe('a program of two hundred blocks', () => {
  it('skips all of them in one step', () => {
    const { position } = startProgram(chain, never);
    const step = transition(chain, position, DONE, never);
    expect(step.effects.filter((effect) => effect.type === 'settle' && effect.status === 'skipped')).toHaveLength(MANY);
    expect(lastOf(step)).toEqual({ type: 'issue', block: 'last', cause: 'enter' });
  });

  it('skips all of them at the start, to the very end', () => {
    const skipped = program(...chain.blocks.slice(2, -1));
    expect(lastOf(startProgram(skipped, never))).toEqual({ type: 'end', outcome: 'completed' });
  });

  it('is bounded: a walk of more steps than there are blocks would be stopped', () => {
    expect(compileProgram(chain).options.maxIterations).toBeLessThan(chain.blocks.length + 20);
  });

  it('is walked from end to end, and back to the first by an invalidate', () => {
    let step = startProgram(chain, always);
    let taken = 0;
    for (; lastOf(step).type !== 'end'; taken++) {
      if (taken === MANY) {
        const back = transition(chain, step.position, invalidate('first'), always);
        expect(back.effects[0]).toMatchObject({ type: 'stale', blocks: { length: MANY + 1 } });
        expect(lastOf(back)).toEqual({ type: 'issue', block: 'first', cause: 'invalidate' });
      }
      step = transition(chain, step.position, DONE, always);
    }
    expect(taken).toBe(MANY + 2);
  });

  it('takes less than five times the step of a program of four', () => {
    const steps = (of: typeof chain) => {
      const { position } = startProgram(of, always);
      return () => {
        for (let taken = 0; taken < 300; taken++) transition(of, position, DONE, always);
      };
    };
    expectWithin(5, steps(program(...chain.blocks.slice(0, 4))), steps(chain));
  });
});
