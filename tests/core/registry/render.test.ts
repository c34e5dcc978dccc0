import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../../src/registry/parse.js';
import { renderInvocation } from '../../../src/registry/render.js';
import { splitCommand } from '../../../src/registry/split.js';
import { invocation } from './invocations.js';

describe('rendering an invocation', () => {
  it('gives a line that parses back to it', () => {
    fc.assert(
      fc.property(invocation, ({ command, input }) => {
        const parsed = parseCommand(splitCommand(renderInvocation({ command, input })));
        expect({ command: parsed.form.name, input: parsed.input }).toEqual({ command, input });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      { command: 'step complete', input: { action: 'a6', name: 'add-auth' } },
      'dev-cli step complete add-auth --action a6',
    ],
    [
      { command: 'step complete', input: { name: 'x', action: 'a6', without: ['a', 'b'], reason: '@.dev/r.md' } },
      'dev-cli step complete x --action a6 --without a,b --reason @.dev/r.md',
    ],
    [{ command: 'next', input: { name: 'x', wait: 45, full: false } }, 'dev-cli next x --wait 45'],
    [{ command: 'init', input: { name: 'x', goal: "it's" } }, "dev-cli init x --goal 'it'\\''s'"],
    [{ command: 'init', input: { name: 'x', set: { a: '1', b: '' } } }, 'dev-cli init x --set a=1 --set b='],
    [{ command: 'recipe lint', input: { files: ['-x', 'b'] } }, 'dev-cli recipe lint -- -x b'],
    [{ command: 'help', input: {} }, 'dev-cli help'],
  ])('writes %j', (given, line) => {
    expect(renderInvocation(given)).toBe(line);
  });

  it.each([
    [{ command: 'nope', input: {} }],
    [{ command: 'next', input: { nmae: 'x' } }],
    [{ command: 'next', input: { name: { a: 1 } } }],
    [{ command: 'next', input: { full: 'yes' } }],
    [{ command: 'init', input: { name: 'x', set: 'a=b' } }],
    [{ command: 'step complete', input: { action: 'a1', without: ['a,b'], reason: 'r' } }],
  ])('refuses %j', (given) => {
    expect(() => renderInvocation(given)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
