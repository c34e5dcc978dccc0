import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine, initialTransition, transition } from 'xstate';
import { DevCliError } from '../../../src/base/errors.js';
import { compileProgram } from '../../../src/machine/config.js';
import type { ProgramBlock } from '../../../src/machine/program.js';
import { programs } from './arbitrary.js';
import { block, goto, init, next, program, walk } from './programs.js';

const loop = (id: string, part: Partial<Omit<ProgramBlock, 'id'>> = {}) =>
  block(id, { kind: 'llm-loop', maxRounds: 3, ...part });

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysOf(member)]);
}

describe('the compiled config', () => {
  it('is plain JSON: a round trip through text changes nothing', () => {
    fc.assert(
      fc.property(programs(6), (subject) => {
        const config = compileProgram(subject);
        expect(JSON.parse(JSON.stringify(config))).toStrictEqual(config);
      }),
    );
  });

  it('can be loaded by XState after the round trip, whoever gives the names a body', () => {
    const config = JSON.parse(JSON.stringify(compileProgram(program(block('a', { when: 'x' }), block('b')))));
    const machine = createMachine(config, { guards: { unmet: () => true }, actions: { enter: () => {} } });
    const [ready] = initialTransition(machine);
    const [snapshot, actions] = transition(machine, ready, { type: 'START' });
    expect(snapshot.value).toEqual({ 'block-b': 'active' });
    expect(actions.map(({ type }) => type)).toEqual(['settle', 'enter', 'issue']);
  });

  it('holds no timer, no history, no spawned or invoked actor', () => {
    fc.assert(
      fc.property(programs(6), (subject) => {
        const keys = keysOf(compileProgram(subject));
        for (const key of ['after', 'history', 'invoke', 'spawn', 'delay']) expect(keys).not.toContain(key);
      }),
    );
  });

  it('has state keys that keep to the pattern (house.md, XState)', () => {
    fc.assert(
      fc.property(programs(6), (subject) => {
        for (const [key, state] of Object.entries(compileProgram(subject).states)) {
          for (const name of [key, ...Object.keys(state.states ?? {})]) {
            expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]*$/);
          }
        }
      }),
    );
  });

  it('has a gate at the bound only for a loop that asks the user', () => {
    const subject = program(
      loop('asking', { asksUser: true }),
      loop('silent'),
      block('question', { asksUser: true, maxRounds: 2 }),
    );
    const states = compileProgram(subject).states;
    const gated = Object.keys(states).filter((key) => 'bound' in (states[key]?.states ?? {}));
    expect(gated).toEqual(['block-asking']);
  });

  it('tells a block named like an end from the end', () => {
    const run = walk(program(block('completed'), block('halted'), block('aborted')));
    expect(run.take({ type: 'DONE' })).toContainEqual({ type: 'issue', block: 'halted', cause: 'enter' });
    expect(run.take({ type: 'DONE' })).toContainEqual({ type: 'issue', block: 'aborted', cause: 'enter' });
    expect(run.take({ type: 'DONE' })).toContainEqual({ type: 'end', outcome: 'completed' });
  });
});

describe('a program that lint should have refused', () => {
  const cases: [string, ProgramBlock[], string][] = [
    ['an id used twice', [block('a'), block('a')], 'The id a is used twice.'],
    ['an id with a dot', [block('a.b')], '"a.b" cannot be an id.'],
    ['an id of Object.prototype', [block('constructor')], '"constructor" cannot be an id.'],
    ['init in second place', [block('a'), { ...init }], 'init stands for init and is not the first block.'],
    ['a goto to itself', [gateBack('a')], 'a leads back to a, which is no earlier block.'],
    ['a goto to a later block', [gateBack('b'), block('b')], 'a leads back to b, which is no earlier block.'],
    ['a goto to nowhere', [gateBack('zz')], 'a leads back to zz, which is no earlier block.'],
    ['a goto to init', [init, gateBack('init')], 'a leads back to init, which stands for init.'],
    [
      'a goto without a bound',
      [block('b'), block('a', { choices: [goto('x', 'b')] })],
      'a needs a bound of 1 or more.',
    ],
    ['a revise of itself', [loop('a', { revise: 'a' })], 'a leads back to a, which is no earlier block.'],
    [
      'a revise without rounds',
      [block('b'), block('a', { revise: 'b', maxRounds: 2 })],
      'a is no loop and has a revise.',
    ],
    ['a loop without a bound', [block('a', { kind: 'subagent-loop' })], 'a needs a bound of 1 or more.'],
    ['a loop with bound 0', [loop('a', { maxRounds: 0 })], 'a needs a bound of 1 or more.'],
    ['a loop with half a round', [loop('a', { maxRounds: 1.5 })], 'a needs a bound of 1 or more.'],
    [
      'endless retries',
      [block('a', { onError: { kind: 'retry', max: Infinity } })],
      'a needs a whole number of retries.',
    ],
    ['a choice offered twice', [block('a', { choices: [next('x'), next('x')] })], 'a offers a choice twice.'],
  ];

  function gateBack(target: string): ProgramBlock {
    return block('a', { kind: 'wait-for-user', maxRounds: 2, choices: [next('on'), goto('back', target)] });
  }

  it.each(cases)('%s is a defect', (_, blocks, problem) => {
    const error = thrownBy(() => compileProgram(program(...blocks)));
    expect(error.code).toBe('INTERNAL');
    expect(error.details.map((detail) => detail.problem)).toEqual([problem]);
  });

  it('names every defect at once', () => {
    const error = thrownBy(() => compileProgram(program(block('a b'), loop('c', { maxRounds: -1, revise: 'c' }))));
    expect(error.details).toHaveLength(3);
  });

  it('finds none in a sound program', () => {
    expect(() => compileProgram(program(init, block('b'), gateBack('b'), loop('c', { revise: 'a' })))).not.toThrow();
  });
});

function thrownBy(run: () => unknown): DevCliError {
  try {
    run();
  } catch (error) {
    if (error instanceof DevCliError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
