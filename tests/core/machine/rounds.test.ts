import { describe, expect, it } from 'vitest';
import { findCurrentBlock, findRestingState } from '../../../src/machine/position.js';
import { BOUND_CHOICES } from '../../../src/machine/transitions.js';
import { block, choose, DONE, EMPTY_ROUND, FAIL, FILLED_ROUND, invalidate, program, walk } from './programs.js';

describe('a loop', () => {
  const subject = program(block('loop', { kind: 'subagent-loop', maxRounds: 3 }), block('end'));

  it('issues round after round up to the bound, then does what onError says', () => {
    const run = walk(subject);
    expect(run.counters('loop').round).toBe(1);
    expect(run.take(EMPTY_ROUND)).toEqual([{ type: 'issue', block: 'loop', cause: 'round' }]);
    expect(run.take(EMPTY_ROUND)).toEqual([{ type: 'issue', block: 'loop', cause: 'round' }]);
    expect(run.counters('loop').round).toBe(3);
    expect(run.take(EMPTY_ROUND)).toEqual([
      { type: 'settle', block: 'loop', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('counts rounds that brought something when it does not ask the user', () => {
    expect(walk(subject).take(FILLED_ROUND, FILLED_ROUND, FILLED_ROUND).at(-1)).toEqual({
      type: 'end',
      outcome: 'halted',
    });
  });

  it('passes in any round, the last included', () => {
    for (const rounds of [0, 1, 2]) {
      const run = walk(subject);
      run.take(...Array.from({ length: rounds }, () => EMPTY_ROUND));
      expect(run.take(DONE).at(-1)).toEqual({ type: 'issue', block: 'end', cause: 'enter' });
    }
  });

  it('goes on at the bound with onError continue', () => {
    const going = program(
      block('loop', { kind: 'llm-loop', maxRounds: 1, onError: { kind: 'continue' } }),
      block('end'),
    );
    expect(walk(going).take(EMPTY_ROUND)).toEqual([
      { type: 'settle', block: 'loop', status: 'failed' },
      { type: 'issue', block: 'end', cause: 'enter' },
    ]);
  });

  it('retries the last round at the bound with onError retry, and halts when the retries are spent', () => {
    const retrying = program(block('loop', { kind: 'llm-loop', maxRounds: 1, onError: { kind: 'retry', max: 1 } }));
    const run = walk(retrying);
    expect(run.take(EMPTY_ROUND)).toEqual([{ type: 'issue', block: 'loop', cause: 'retry' }]);
    expect(run.counters('loop')).toMatchObject({ round: 1, retries: 1 });
    expect(run.take(EMPTY_ROUND).at(-1)).toEqual({ type: 'end', outcome: 'halted' });
  });

  it('starts over after an invalidate: the bound anew, the round number going on', () => {
    const run = walk(subject);
    run.take(EMPTY_ROUND, EMPTY_ROUND, invalidate('loop'));
    expect(run.counters('loop')).toMatchObject({ round: 4, roundBase: 3 });
    expect(run.take(EMPTY_ROUND, EMPTY_ROUND).at(-1)).toEqual({ type: 'issue', block: 'loop', cause: 'round' });
    expect(run.take(EMPTY_ROUND).at(-1)).toEqual({ type: 'end', outcome: 'halted' });
  });
});

describe('a loop that asks the user', () => {
  const subject = program(block('talk', { kind: 'llm-loop', asksUser: true, maxRounds: 2 }), block('end'));
  const gate = () => {
    const run = walk(subject);
    run.take(EMPTY_ROUND, EMPTY_ROUND);
    return run;
  };

  it('becomes a gate at the bound', () => {
    const run = walk(subject);
    run.take(EMPTY_ROUND);
    expect(findRestingState(run.position)?.state === 'bound').toBe(false);
    expect(run.take(EMPTY_ROUND)).toEqual([{ type: 'issue', block: 'talk', cause: 'bound' }]);
    expect(findRestingState(run.position)?.state === 'bound').toBe(true);
    expect(findCurrentBlock(run.position)).toBe('talk');
    expect(run.counters('talk').round).toBe(2);
  });

  it('does not count a round that brought something', () => {
    const run = walk(subject);
    expect(run.take(FILLED_ROUND, FILLED_ROUND, FILLED_ROUND, EMPTY_ROUND)).toEqual([
      { type: 'issue', block: 'talk', cause: 'round' },
    ]);
    expect(run.counters('talk')).toMatchObject({ round: 5, roundBase: 3 });
    expect(run.take(FILLED_ROUND)).toEqual([{ type: 'issue', block: 'talk', cause: 'round' }]);
    expect(run.take(EMPTY_ROUND)).toEqual([{ type: 'issue', block: 'talk', cause: 'bound' }]);
  });

  it('offers continue, more and stop', () => {
    expect(BOUND_CHOICES).toEqual(['continue', 'more', 'stop']);
    expect(gate().take(choose('continue'))).toEqual([
      { type: 'settle', block: 'talk', status: 'done' },
      { type: 'issue', block: 'end', cause: 'enter' },
    ]);
    expect(gate().take(choose('stop'))).toEqual([
      { type: 'settle', block: 'talk', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('grants the same bound once more with more', () => {
    const run = gate();
    expect(run.take(choose('more'))).toEqual([{ type: 'issue', block: 'talk', cause: 'round' }]);
    expect(run.counters('talk')).toMatchObject({ round: 3, roundBase: 2 });
    expect(run.take(EMPTY_ROUND).at(-1)).toEqual({ type: 'issue', block: 'talk', cause: 'round' });
    expect(run.take(EMPTY_ROUND).at(-1)).toEqual({ type: 'issue', block: 'talk', cause: 'bound' });
  });

  it('is only a gate there: no DONE, no round, and no gate choice before', () => {
    for (const event of [DONE, EMPTY_ROUND, choose('nothing')]) {
      expect(() => gate().take(event)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    }
    expect(() => walk(subject).take(choose('continue'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  it('can fail at the gate, and then onError decides', () => {
    expect(gate().take(FAIL).at(-1)).toEqual({ type: 'end', outcome: 'halted' });
    expect(gate().take(invalidate('talk'))).toEqual([
      { type: 'stale', blocks: ['talk'] },
      { type: 'issue', block: 'talk', cause: 'invalidate' },
    ]);
  });
});

describe('revise', () => {
  const subject = program(
    block('before'),
    block('plan', { kind: 'llm+cli' }),
    block('polish', { kind: 'llm-loop', maxRounds: 1, when: 'polish' }),
    block('review', { kind: 'subagent-loop', maxRounds: 2, revise: 'plan' }),
    block('end'),
  );

  it('goes back before the next round and comes on again', () => {
    const run = walk(subject, () => false);
    run.take(DONE, DONE);
    expect(run.take(EMPTY_ROUND)).toEqual([
      { type: 'stale', blocks: ['plan', 'polish', 'review'] },
      { type: 'issue', block: 'plan', cause: 'revise' },
    ]);
    expect(run.take(DONE)).toEqual([
      { type: 'settle', block: 'plan', status: 'done' },
      { type: 'settle', block: 'polish', status: 'skipped' },
      { type: 'issue', block: 'review', cause: 'enter' },
    ]);
    expect(run.counters('review')).toMatchObject({ round: 2, roundBase: 0 });
  });

  it('never grants the loop its own bound anew', () => {
    const run = walk(subject, () => false);
    expect(run.take(DONE, DONE, EMPTY_ROUND, DONE, EMPTY_ROUND)).toEqual([
      { type: 'settle', block: 'review', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('grants the loops between anew', () => {
    const run = walk(subject);
    run.take(DONE, DONE, DONE, EMPTY_ROUND, DONE);
    expect(run.counters('polish')).toMatchObject({ round: 2, roundBase: 1 });
    expect(run.counters('before')).toMatchObject({ round: 1, roundBase: 0 });
  });

  it('executes a CLI block it goes back to', () => {
    const cli = program(
      block('make', { kind: 'cli' }),
      block('test', { kind: 'llm-loop', maxRounds: 2, revise: 'make' }),
    );
    expect(walk(cli).take(DONE, EMPTY_ROUND).at(-1)).toEqual({ type: 'execute', block: 'make', cause: 'revise' });
  });

  it('is also where more leads', () => {
    const asking = program(
      block('plan'),
      block('talk', { kind: 'llm-loop', maxRounds: 1, asksUser: true, revise: 'plan' }),
    );
    const run = walk(asking);
    run.take(DONE, EMPTY_ROUND);
    expect(run.take(choose('more'))).toEqual([
      { type: 'stale', blocks: ['plan', 'talk'] },
      { type: 'issue', block: 'plan', cause: 'revise' },
    ]);
    expect(run.take(DONE, EMPTY_ROUND).at(-1)).toEqual({ type: 'issue', block: 'talk', cause: 'bound' });
  });
});
