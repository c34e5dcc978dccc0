import fc from 'fast-check';
import type { OnError, Program, ProgramBlock, ProgramChoice } from '../../../src/machine/program.js';
import { block, goto, init, next, program, stop } from './programs.js';

const onError: fc.Arbitrary<OnError> = fc.oneof(
  fc.constant<OnError>({ kind: 'halt' }),
  fc.constant<OnError>({ kind: 'continue' }),
  fc.integer({ min: 0, max: 2 }).map((max): OnError => ({ kind: 'retry', max })),
);

type Shape = Partial<Omit<ProgramBlock, 'id'>>;

function plain(): fc.Arbitrary<Shape> {
  return fc.record({ kind: fc.constantFrom('cli', 'llm', 'llm+cli', 'subagent' as const) });
}

function gate(earlier: string[]): fc.Arbitrary<Shape> {
  const back: fc.Arbitrary<string[]> =
    earlier.length === 0 ? fc.constant([]) : fc.subarray(earlier, { maxLength: Math.min(2, earlier.length) });
  return fc
    .record({ kind: fc.constantFrom('llm', 'wait-for-user' as const), back, halts: fc.boolean(), bound: bound() })
    .map(({ kind, back: targets, halts, bound: maxRounds }) => {
      const choices: ProgramChoice[] = [next('go'), ...targets.map((target) => goto(`to-${target}`, target))];
      return { kind, maxRounds, choices: halts ? [...choices, stop('no')] : choices };
    });
}

function loop(earlier: string[]): fc.Arbitrary<Shape> {
  const revise =
    earlier.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...earlier), { nil: undefined });
  return fc
    .record({
      kind: fc.constantFrom('llm-loop', 'subagent-loop' as const),
      revise,
      asksUser: fc.boolean(),
      maxRounds: bound(),
    })
    .map(({ revise: target, ...rest }) => (target === undefined ? rest : { ...rest, revise: target }));
}

/** Generates a command that leads back when it fails; a first block has no earlier block, so its command does not. */
function command(earlier: string[]): fc.Arbitrary<Shape> {
  if (earlier.length === 0) return fc.constant({ kind: 'cli' });
  return fc.record({ kind: fc.constant('cli' as const), revise: fc.constantFrom(...earlier), maxRounds: bound() });
}

function bound(): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max: 3 });
}

function blockAfter(earlier: string[], id: string): fc.Arbitrary<ProgramBlock> {
  return fc
    .record({
      shape: fc.oneof(plain(), gate(earlier), loop(earlier), command(earlier)),
      onError,
      when: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    })
    .map(({ shape, onError: policy, when }) =>
      block(id, { ...shape, onError: policy, ...(when === undefined ? {} : { when }) }),
    );
}

/** Generates programs that lint would accept: up to `most` blocks of any kinds, with or without a block for init. */
export function programs(most: number): fc.Arbitrary<Program> {
  return fc.tuple(fc.boolean(), fc.integer({ min: 0, max: most })).chain(([withInit, count]) => {
    const ids = Array.from({ length: count }, (_, index) => `b${index}`);
    const blocks = ids.map((id, index) => blockAfter(ids.slice(0, index), id));
    return fc.tuple(...blocks).map((made) => program(...(withInit ? [init] : []), ...made));
  });
}
