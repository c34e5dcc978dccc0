import { describe, expect, it } from 'vitest';
import { canInvalidate, findCurrentBlock, findOutcome } from '../../../src/machine/position.js';
import { ABORT, block, DONE, FAIL, HALT, init, invalidate, never, program, walk } from './programs.js';

const subject = program(
  init,
  block('a'),
  block('b', { kind: 'cli' }),
  block('c', { when: 'c' }),
  block('d'),
  block('e'),
);

describe('INVALIDATE', () => {
  it('makes the block and all reached ones after it stale and issues it at once', () => {
    const run = walk(subject);
    run.take(DONE, DONE, DONE);
    expect(run.take(invalidate('a'))).toEqual([
      { type: 'stale', blocks: ['a', 'b', 'c', 'd'] },
      { type: 'issue', block: 'a', cause: 'invalidate' },
    ]);
  });

  it('leaves blocks before it alone', () => {
    const run = walk(subject);
    run.take(DONE, DONE, DONE);
    expect(run.take(invalidate('c'))[0]).toEqual({ type: 'stale', blocks: ['c', 'd'] });
    expect(run.counters('a').roundBase).toBe(0);
  });

  it('executes a CLI block', () => {
    const run = walk(subject);
    run.take(DONE);
    expect(run.take(invalidate('b'))).toEqual([
      { type: 'stale', blocks: ['b'] },
      { type: 'execute', block: 'b', cause: 'invalidate' },
    ]);
  });

  it('does not ask the condition of the block again, but those of the following', () => {
    const run = walk(subject, never);
    expect(run.take(DONE, DONE)).toContainEqual({ type: 'settle', block: 'c', status: 'skipped' });
    expect(run.take(invalidate('c')).at(-1)).toEqual({ type: 'issue', block: 'c', cause: 'invalidate' });
    run.take(invalidate('b'));
    expect(run.take(DONE)).toContainEqual({ type: 'settle', block: 'c', status: 'skipped' });
  });

  it('gives the pending block a new action', () => {
    const run = walk(subject);
    expect(run.take(invalidate('a'))).toEqual([
      { type: 'stale', blocks: ['a'] },
      { type: 'issue', block: 'a', cause: 'invalidate' },
    ]);
    expect(run.counters('a')).toMatchObject({ round: 2, roundBase: 1 });
  });

  it('reopens a halted run, the failed block included', () => {
    const run = walk(subject);
    run.take(DONE, FAIL);
    expect(findOutcome(run.position)).toBe('halted');
    expect(findCurrentBlock(run.position)).toBeNull();
    expect(run.take(invalidate('a'))).toEqual([
      { type: 'stale', blocks: ['a', 'b'] },
      { type: 'issue', block: 'a', cause: 'invalidate' },
    ]);
    expect(findOutcome(run.position)).toBeNull();
    expect(run.take(DONE, DONE).at(-1)).toEqual({ type: 'issue', block: 'c', cause: 'enter' });
  });

  it('is possible for what was reached, and for nothing else', () => {
    const run = walk(subject);
    run.take(DONE);
    const possible = () => subject.blocks.map(({ id }) => id).filter((id) => canInvalidate(subject, run.position, id));
    expect(possible()).toEqual(['a', 'b']);
    expect(canInvalidate(subject, run.position, 'zz')).toBe(false);
    run.take(HALT);
    expect(possible()).toEqual(['a', 'b']);
    run.take(invalidate('a'));
    // b is stale and must wait for a: invalidating b alone would leave a undone.
    expect(possible()).toEqual(['a']);
    run.take(ABORT);
    expect(possible()).toEqual([]);
  });
});

describe('queries', () => {
  it('tell a pending, a halted, an aborted and a completed run apart', () => {
    const short = program(block('a'));
    const seen = (events: Parameters<ReturnType<typeof walk>['take']>) => {
      const run = walk(short);
      run.take(...events);
      return [findCurrentBlock(run.position), findOutcome(run.position)];
    };
    expect(seen([])).toEqual(['a', null]);
    expect(seen([HALT])).toEqual([null, 'halted']);
    expect(seen([ABORT])).toEqual([null, 'aborted']);
    expect(seen([DONE])).toEqual([null, 'completed']);
  });
});
