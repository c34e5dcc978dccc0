import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REGISTRY } from '../../../src/registry/find.js';
import { type ParsedCommand, parseHot } from '../../../src/registry/hot.js';
import { readCommandLine } from '../../../src/registry/parse.js';
import { renderInvocation } from '../../../src/registry/render.js';
import { splitCommand } from '../../../src/registry/split.js';
import { argument, invocationOf } from '../../core/registry/invocations.js';

const HOT = REGISTRY.commands.filter(({ hot }) => hot);
const hotInvocation = fc.constantFrom(...HOT).chain(invocationOf);

const said = ({ form: { name }, input, globals }: ParsedCommand) => ({ name, input, globals });

/**
 * Checks that the small parser either reads a command line as commander does, or leaves it to commander, which then
 * also reports errors.
 * @returns whether the small parser has read it
 */
function agree(words: readonly string[]): boolean {
  const small = parseHot(words);
  const whole = readCommandLine(words);
  if (small !== null) expect('fault' in whole ? whole.fault : said(whole)).toEqual(said(small));
  // The small parser may leave a valid line of a hot command to commander, but only if some words of the line look like
  // options.
  else if (!('fault' in whole) && whole.form.hot) expect(words.some((word) => /^(--|-.+)$/.test(word))).toBe(true);
  return small !== null;
}

describe('the small parser of hot commands and commander', () => {
  it('are about the calls that agents wait for', () => {
    expect(HOT.map(({ name }) => name).sort()).toEqual(['list', 'manifest', 'mcp', 'next', 'status', 'step complete']);
  });

  it.each(
    [
      'next',
      'next x',
      'next x y',
      'next --wait 5 x',
      'next --wait=5',
      'next --wait',
      'next --wait x',
      'next --wait -5',
      'next --full --full',
      'next --full=yes',
      'next --ful',
      'next -f',
      'next -',
      'next -- --full',
      'next -5',
      'next --json --text',
      '--root d next',
      'next --root=d --json',
      'next --root d --root e',
      'next --help',
      'next -h x',
      'status --watch --full x',
      'list x',
      'mcp',
      'mcp --tools memory,other',
      'mcp --tools',
      'mcp x',
      'nxt',
      'step',
      'step nope',
      'step --json complete --action a1',
      'step complete',
      'step complete --action a1 --step b',
      'step complete --action a1 --data {} --choice x',
      'step complete --action a1 --without a,b --reason --json',
      'step complete --action a1 --without a,,b --reason r',
      'step complete --action a1 --reason=',
      'step complete --action a1 --note n',
      'step complete --action a1 --bogus --help',
      'init x',
    ].map((line) => [line]),
  )('agree on: %s', (line) => {
    agree(splitCommand(line));
  });

  it('agree on every invocation as it is printed, and the small one reads each', () => {
    fc.assert(
      fc.property(hotInvocation, (given) => {
        const words = splitCommand(renderInvocation(given)).slice(1);
        expect(agree(words) || words.includes('--')).toBe(true);
      }),
      { numRuns: 250 },
    );
  });

  it('agree on what becomes of it when words are lost, doubled or added', () => {
    const flags = HOT.flatMap(({ options }) => options.map(({ flag }) => `--${flag}`));
    const strays = fc.oneof(
      argument,
      fc.constantFrom('--json', '--root', '--nope', '--full=1', '--help', 'a1', ...flags),
    );
    const change = fc.record({ at: fc.nat(12), kind: fc.constantFrom('drop', 'double', 'insert'), word: strays });
    let read = 0;
    fc.assert(
      fc.property(hotInvocation, fc.array(change, { minLength: 1, maxLength: 3 }), (given, changes) => {
        const words = splitCommand(renderInvocation(given)).slice(1);
        for (const { at, kind, word } of changes) {
          const kept = words[at] ?? word;
          words.splice(Math.min(at, words.length), kind === 'insert' ? 0 : 1, ...wordsFor(kind, kept, word));
        }
        if (agree(words)) read += 1;
      }),
      { numRuns: 700 },
    );
    expect(read).toBeGreaterThan(20);
  });
});

function wordsFor(kind: string, kept: string, word: string): string[] {
  if (kind === 'drop') return [];
  return kind === 'double' ? [kept, kept] : [word];
}
