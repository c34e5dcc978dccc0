import { describe, expect, it } from 'vitest';
import { listOfferedChoiceIds } from '../../../src/machine/transition.js';
import {
  block,
  choose,
  countersOf,
  DONE,
  EMPTY_ROUND,
  FAIL,
  goto,
  invalidate,
  next,
  program,
  stop,
  walk,
} from './programs.js';

const gate = block('gate', {
  kind: 'wait-for-user',
  maxRounds: 2,
  choices: [next('approve'), goto('revise', 'plan'), stop('stop')],
});
const subject = program(
  block('plan'),
  block('review', { kind: 'subagent-loop', maxRounds: 2 }),
  gate,
  block('end', { kind: 'cli' }),
);

const atGate = () => {
  const run = walk(subject);
  run.take(DONE, EMPTY_ROUND, DONE);
  return run;
};

describe('choices', () => {
  it('next goes on', () => {
    expect(atGate().take(choose('approve'))).toEqual([
      { type: 'settle', block: 'gate', status: 'done' },
      { type: 'execute', block: 'end', cause: 'enter' },
    ]);
  });

  it('halt counts as made and halts', () => {
    expect(atGate().take(choose('stop'))).toEqual([
      { type: 'settle', block: 'gate', status: 'done' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('goto makes everything from its target to the gate stale and issues the target', () => {
    const run = atGate();
    expect(run.take(choose('revise'))).toEqual([
      { type: 'settle', block: 'gate', status: 'done' },
      { type: 'stale', blocks: ['plan', 'review', 'gate'] },
      { type: 'issue', block: 'plan', cause: 'revise' },
    ]);
    expect(run.counters('gate').jumps).toBe(1);
  });

  it('goto executes a target that is a CLI block', () => {
    const cli = program(
      block('a', { kind: 'cli' }),
      block('g', { maxRounds: 1, choices: [next('on'), goto('back', 'a')] }),
    );
    expect(walk(cli).take(DONE, choose('back')).at(-1)).toEqual({ type: 'execute', block: 'a', cause: 'revise' });
  });

  it('goto does not ask the condition of its target again, but those of the blocks between', () => {
    let open = true;
    const guarded = program(
      block('a', { when: 'x' }),
      block('b', { when: 'x' }),
      block('g', { maxRounds: 1, choices: [next('on'), goto('back', 'a')] }),
    );
    const run = walk(guarded, () => open);
    run.take(DONE, DONE);
    open = false;
    expect(run.take(choose('back')).at(-1)).toEqual({ type: 'issue', block: 'a', cause: 'revise' });
    expect(run.take(DONE)).toContainEqual({ type: 'settle', block: 'b', status: 'skipped' });
  });

  it('goto grants the bounds between anew and keeps the round', () => {
    const run = atGate();
    expect(run.counters('review')).toMatchObject({ round: 2, roundBase: 0 });
    run.take(choose('revise'), DONE);
    expect(run.counters('review')).toMatchObject({ round: 3, roundBase: 2 });
    expect(run.take(EMPTY_ROUND).at(-1)).toEqual({ type: 'issue', block: 'review', cause: 'round' });
    // For comparison: without the goto, `review` may have only two rounds; after the second failed one, the run halts.
    const straight = walk(subject);
    expect(straight.take(DONE, EMPTY_ROUND, EMPTY_ROUND).at(-1)).toEqual({ type: 'end', outcome: 'halted' });
  });

  it('goto grants the jumps of a gate in between anew, but never its own', () => {
    const nested = program(
      block('a'),
      block('inner', { maxRounds: 1, choices: [next('on'), goto('back', 'a')] }),
      block('outer', { maxRounds: 1, choices: [next('on'), goto('back', 'a')] }),
    );
    const run = walk(nested);
    run.take(DONE, choose('back'), DONE, choose('on'), choose('back'));
    expect(run.counters('inner').jumps).toBe(0);
    expect(run.counters('outer').jumps).toBe(1);
  });

  it('offers a way back below the bound and not at it', () => {
    const run = atGate();
    expect(listOfferedChoiceIds(gate, run.counters('gate'))).toEqual(['approve', 'revise', 'stop']);
    run.take(choose('revise'), DONE, DONE);
    expect(listOfferedChoiceIds(gate, run.counters('gate'))).toEqual(['approve', 'revise', 'stop']);
    run.take(choose('revise'), DONE, DONE);
    expect(listOfferedChoiceIds(gate, countersOf(run.position, 'gate'))).toEqual(['approve', 'stop']);
    expect(() => run.take(choose('revise'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(run.take(choose('approve')).at(-1)).toEqual({ type: 'execute', block: 'end', cause: 'enter' });
  });

  it('an invalidate grants the jumps anew', () => {
    const run = atGate();
    run.take(choose('revise'), DONE, DONE, choose('revise'), DONE, DONE, invalidate('review'), DONE);
    expect(listOfferedChoiceIds(gate, run.counters('gate'))).toContain('revise');
  });

  it('a gate can fail like any other block', () => {
    expect(atGate().take(FAIL)).toEqual([
      { type: 'settle', block: 'gate', status: 'failed' },
      { type: 'end', outcome: 'halted' },
    ]);
  });

  it('a gate without choices is left by DONE', () => {
    expect(
      walk(program(block('g', { kind: 'wait-for-user' })))
        .take(DONE)
        .at(-1),
    ).toEqual({
      type: 'end',
      outcome: 'completed',
    });
  });
});
