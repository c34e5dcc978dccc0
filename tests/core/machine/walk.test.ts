import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { startProgram, transition } from '../../../src/machine/transition.js';
import {
  ABORT,
  always,
  block,
  choose,
  DONE,
  EMPTY_ROUND,
  FAIL,
  HALT,
  init,
  invalidate,
  never,
  program,
  walk,
} from './programs.js';

describe('the walk', () => {
  it('settles init at the start and issues the first block', () => {
    const run = walk(program(init, block('a')));
    expect(run.started).toEqual([
      { type: 'settle', block: 'init', status: 'done' },
      { type: 'issue', block: 'a', cause: 'enter' },
    ]);
    expect(run.counters('init')).toEqual({ round: 0, roundBase: 0, retries: 0, jumps: 0 });
  });

  it('runs a first block that does not stand for init', () => {
    expect(walk(program(block('init', { kind: 'cli' }))).started).toEqual([
      { type: 'execute', block: 'init', cause: 'enter' },
    ]);
  });

  it('goes in order, executes CLI blocks and completes after the last', () => {
    const run = walk(program(block('a'), block('b', { kind: 'cli' })));
    expect(run.take(DONE)).toEqual([
      { type: 'settle', block: 'a', status: 'done' },
      { type: 'execute', block: 'b', cause: 'enter' },
    ]);
    expect(run.take(DONE)).toEqual([
      { type: 'settle', block: 'b', status: 'done' },
      { type: 'end', outcome: 'completed' },
    ]);
    expect(run.position.value).toBe('completed');
  });

  it('completes at once when there is nothing to do', () => {
    expect(walk(program()).started).toEqual([{ type: 'end', outcome: 'completed' }]);
    expect(walk(program(init)).started.at(-1)).toEqual({ type: 'end', outcome: 'completed' });
  });

  it('skips a block whose condition is false and enters one whose condition is true', () => {
    const subject = program(block('a'), block('b', { when: 'goes' }), block('c', { when: 'comes' }));
    const run = walk(subject, (source) => source === 'comes');
    expect(run.take(DONE)).toEqual([
      { type: 'settle', block: 'a', status: 'done' },
      { type: 'settle', block: 'b', status: 'skipped' },
      { type: 'issue', block: 'c', cause: 'enter' },
    ]);
  });

  it('asks only the conditions of blocks it comes to', () => {
    const asked: string[] = [];
    const subject = program(block('a', { when: 'one' }), block('b', { when: 'two' }));
    startProgram(subject, (source) => asked.push(source) > 0);
    expect(asked).toEqual(['one']);
  });

  it('has counters for every block from the start, and counts the first round when it is issued', () => {
    const run = walk(program(init, block('a'), block('b')));
    expect(Object.keys(run.position.counters)).toEqual(['init', 'a', 'b']);
    expect(run.counters('a').round).toBe(1);
    expect(run.counters('b').round).toBe(0);
  });

  it('aborts from a pending and from a halted block, and without settling anything', () => {
    const subject = program(block('a'));
    expect(walk(subject).take(ABORT)).toEqual([{ type: 'end', outcome: 'aborted' }]);
    expect(walk(subject).take(HALT, ABORT)).toEqual([{ type: 'end', outcome: 'aborted' }]);
  });

  it('halts on HALT whatever onError says', () => {
    const subject = program(block('a', { onError: { kind: 'continue' } }), block('b'));
    expect(walk(subject).take(HALT)).toEqual([
      { type: 'settle', block: 'a', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('throws what a condition throws, not a wrapping', () => {
    const error = new DevCliError('RECIPE_INVALID', 'no such word');
    const subject = program(block('a'), block('b', { when: 'x' }));
    const failing = () => {
      throw error;
    };
    expect(() => startProgram(program(block('a', { when: 'x' })), failing)).toThrow(error);
    const { position } = startProgram(subject, always);
    expect(() => transition(subject, position, DONE, failing)).toThrow(error);
    expect(transition(subject, position, DONE, never).effects.at(-1)).toEqual({ type: 'end', outcome: 'completed' });
  });
});

describe('an event that the position does not allow is a defect of the caller', () => {
  const subject = program(
    init,
    block('a'),
    block('b', { kind: 'wait-for-user', choices: [{ id: 'on', target: { kind: 'next' } }] }),
  );
  const cases: [string, ReturnType<typeof walk>, Parameters<ReturnType<typeof walk>['take']>][] = [
    ['a round of a block that is no loop', walk(subject), [EMPTY_ROUND]],
    ['a choice where none is offered', walk(subject), [choose('on')]],
    ['DONE where a choice is wanted', walk(subject), [DONE, DONE]],
    ['an unknown choice', walk(subject), [DONE, choose('off')]],
    ['an unknown block', walk(subject), [invalidate('zz')]],
    ['init', walk(subject), [invalidate('init')]],
    ['a block not reached', walk(subject), [invalidate('b')]],
    ['DONE when halted', walk(subject), [HALT, DONE]],
    ['FAIL when halted', walk(subject), [HALT, FAIL]],
    ['HALT when halted', walk(subject), [HALT, HALT]],
    ['anything when aborted', walk(subject), [ABORT, ABORT]],
    ['an invalidate when completed', walk(subject), [DONE, choose('on'), invalidate('a')]],
  ];

  it.each(cases)('%s', (_, run, events) => {
    const impossible = events.at(-1);
    run.take(...events.slice(0, -1));
    const before = JSON.stringify(run.position);
    if (impossible === undefined) throw new Error('no event');
    expect(() => run.take(impossible)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(JSON.stringify(run.position)).toBe(before);
  });
});
