import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { quoteForShell } from '../../../src/registry/render.js';
import { splitCommand } from '../../../src/registry/split.js';

function problemOf(line: string): string {
  try {
    splitCommand(line);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'USAGE') return error.details[0]?.problem ?? '';
    throw error;
  }
  return 'accepted';
}

describe('splitting a command line', () => {
  it.each([
    ['dev-cli next  {name}\t--full ', ['dev-cli', 'next', '{name}', '--full']],
    ['a "b c" \'d e\'f', ['a', 'b c', 'd ef']],
    [`a "" ''`, ['a', '', '']],
    ['a\\ b \\" \\\\', ['a b', '"', '\\']],
    ['"a\\"b\\\\c\\d\\\ne"', ['a"b\\c\\de']],
    ["'$x `y` | > * ~ # ; &'", ['$x `y` | > * ~ # ; &']],
    ['"| > * ~ # ; & ( ) ?"', ['| > * ~ # ; & ( ) ?']],
    ['HEAD~1 a#b x={y} !z a]', ['HEAD~1', 'a#b', 'x={y}', '!z', 'a]']],
    ['a \u00a0b', ['a', '\u00a0b']],
    ['folded by yaml\n', ['folded', 'by', 'yaml']],
    ['', []],
    [' \n', []],
  ])('reads %j', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each([
    ['a | b', '"|" at column 3'],
    ['a>b', '">" at column 2'],
    ['a < b', '"<" at column 3'],
    ['a & b', '"&" at column 3'],
    ['a; b', '";" at column 2'],
    ['$HOME', '"$" at column 1'],
    ['"x $y"', '"$" at column 4'],
    ['"x `y`"', '"`" at column 4'],
    ['a `b`', '"`" at column 3'],
    ['a *.ts', '"*" at column 3'],
    ['a b?', '"?" at column 4'],
    ['a [b]', '"[" at column 3'],
    ['a ~/b', '"~" at column 3'],
    ['a # b', '"#" at column 3'],
    ['(a)', '"(" at column 1'],
    ['a)', '")" at column 2'],
    ['a\nb', '"\\n" at column 2'],
    ['a\\\nb', '"\\\\" at column 2'],
    ['a\\', '"\\\\" at column 2'],
    ['a "b', '"\\"" at column 3 is a quote that is never closed'],
    ["a 'b", '"\'" at column 3 is a quote that is never closed'],
  ])('refuses %j', (line, problem) => {
    expect(problemOf(line)).toContain(problem);
  });

  it('gives quoted words back, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (words) => {
        expect(splitCommand(words.map(quoteForShell).join(' '))).toEqual(words);
      }),
    );
  });

  it('splits what it accepts as the shell does', () => {
    const pieces = ['a', '{x}', ' ', '\t', "'", '"', '\\', '=', '-', '#', '~', 'é', '$', '|', '%', '!', ','];
    const lines = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(lines, (line) => {
        if (problemOf(line) !== 'accepted') return;
        const script = `set -- ${line}\nfor word do printf '%s\\037' "$word"; done`;
        const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\u001f').slice(0, -1);
        expect(splitCommand(line)).toEqual(words);
      }),
      { numRuns: 150 },
    );
  });
});
