import { describe, expect, it } from 'vitest';
import { block, choose, DONE, EMPTY_ROUND, FAIL, goto, invalidate, next, program, walk } from './programs.js';

describe('onError', () => {
  it('halt: the block failed and the run halts', () => {
    expect(walk(program(block('a'), block('b'))).take(FAIL)).toEqual([
      { type: 'settle', block: 'a', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('continue: the block failed and the walk goes on', () => {
    expect(walk(program(block('a', { onError: { kind: 'continue' } }), block('b'))).take(FAIL)).toEqual([
      { type: 'settle', block: 'a', status: 'failed' },
      { type: 'issue', block: 'b', cause: 'enter' },
    ]);
  });

  it.each([
    ['llm', 'issue'],
    ['cli', 'execute'],
  ] as const)('retry: a %s block is tried again until the retries are spent', (kind, type) => {
    const run = walk(program(block('a', { kind, onError: { kind: 'retry', max: 2 } })));
    expect(run.take(FAIL)).toEqual([{ type, block: 'a', cause: 'retry' }]);
    expect(run.take(FAIL)).toEqual([{ type, block: 'a', cause: 'retry' }]);
    expect(run.counters('a')).toMatchObject({ round: 1, retries: 2 });
    expect(run.take(FAIL)).toEqual([
      { type: 'settle', block: 'a', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('retry with no retries halts at once', () => {
    expect(
      walk(program(block('a', { onError: { kind: 'retry', max: 0 } })))
        .take(FAIL)
        .at(-1),
    ).toEqual({
      type: 'end',
      outcome: 'halted',
    });
  });

  it('spends retries over the rounds of one stay', () => {
    const run = walk(program(block('a', { kind: 'llm-loop', maxRounds: 5, onError: { kind: 'retry', max: 1 } })));
    expect(run.take(FAIL, EMPTY_ROUND).at(-1)).toEqual({ type: 'issue', block: 'a', cause: 'round' });
    expect(run.take(FAIL).at(-1)).toEqual({ type: 'end', outcome: 'halted' });
  });

  it('grants retries anew when the block is entered from outside', () => {
    const subject = program(
      block('a', { onError: { kind: 'retry', max: 1 } }),
      block('g', { maxRounds: 1, choices: [next('on'), goto('back', 'a')] }),
    );
    const byGoto = walk(subject);
    expect(byGoto.take(FAIL, DONE, choose('back'), FAIL)).toEqual([{ type: 'issue', block: 'a', cause: 'retry' }]);
    const byInvalidate = walk(subject);
    expect(byInvalidate.take(FAIL, FAIL, invalidate('a'), FAIL)).toEqual([
      { type: 'issue', block: 'a', cause: 'retry' },
    ]);
  });

  it('grants retries anew to a loop that the walk comes back to after its own revise', () => {
    const run = walk(
      program(
        block('plan'),
        block('review', { kind: 'subagent-loop', maxRounds: 2, revise: 'plan', onError: { kind: 'retry', max: 1 } }),
      ),
    );
    run.take(DONE, FAIL);
    expect(run.counters('review').retries).toBe(1);
    run.take(EMPTY_ROUND, DONE);
    expect(run.counters('review').retries).toBe(0);
    expect(run.take(FAIL)).toEqual([{ type: 'issue', block: 'review', cause: 'retry' }]);
  });
});
