import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCommandLine, formatPlainCommandLine } from '../../../src/documents/plan-text.js';
import { parseCommandLine } from '../../../src/plan/model/command-line.js';

const HOSTILE = [
  '"',
  "'",
  '\\',
  '\\u{41}',
  '\\n',
  '$',
  '${x}',
  '`',
  '|',
  '&&',
  '>',
  '*',
  '~',
  '#',
  '=',
  'A=1',
  '-',
  ' ',
  '\t',
  '\n',
  '\0',
  '\x1b[31m',
  '\x7f',
  '\x9b',
  '\u2028',
  '\u202e',
  '\u200d',
  '👩\u200d💻',
  '\ud800',
  '\udc00',
  '\u{e0067}',
  'نی\u200cم',
  'क्\u200dष',
  '{a,b}',
  '[a]',
  ';',
  '(',
];
const argument = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), {
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
);

describe('a command line', () => {
  it('is read as it was written, whatever is in it, invisible characters shown or not', () => {
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 5 }), (argv) => {
        expect(parseCommandLine(formatCommandLine(argv))).toEqual({ kind: 'words', argv });
        expect(parseCommandLine(formatPlainCommandLine(argv))).toEqual({ kind: 'words', argv });
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['npm test -- routes', ['npm', 'test', '--', 'routes']],
    ["  grep -q 'a b'  x", ['grep', '-q', 'a b', 'x']],
    [`a'b'"c"d ''`, ['abcd', '']],
    ['a\\ b', ['a b']],
    ["node -e 'a | b > $c'", ['node', '-e', 'a | b > $c']],
    ['"a\\tb\\u0041\\u{1f600}\\/"', ['a\tbA😀/']],
    ['test 添加 é', ['test', '添加', 'é']],
    ['find . -exec {} + --a=b a#b a~b 5$', ['find', '.', '-exec', '{}', '+', '--a=b', 'a#b', 'a~b', '5$']],
    ['cat ${todo-1.outputs.config_path}', ['cat', '${todo-1.outputs.config_path}']],
    ['env CI=1 npm test', ['env', 'CI=1', 'npm', 'test']],
    ['"CI=1" x', ['CI=1', 'x']],
  ])('reads %j as a shell would', (line, argv) => {
    expect(parseCommandLine(line)).toEqual({ kind: 'words', argv });
  });

  it.each([
    ['', 'there is no command'],
    [' ', 'there is no command'],
    ['npm test | tee log', '| is a pipe'],
    ['a && b', '& is an "and"'],
    ['a; b', '; separates'],
    ['a > b', '> redirects'],
    ['a 2>&1', '> redirects'],
    ['a <b', '< redirects'],
    ['echo $HOME', '$ is a variable'],
    ['echo ${HOME}', '$ is a variable'],
    ['echo $(pwd)', '$ is a variable'],
    ['echo `pwd`', '` runs a command'],
    ['(a)', '( runs a command'],
    ['ls *.ts', '* is a file name pattern'],
    ['ls src/?.ts', '? is a file name pattern'],
    ['ls [ab].ts', '[ is a file name pattern'],
    ['ls {a,b}', '{ expands to several words'],
    ['ls ~/x', '~ is a home directory'],
    ['ls # all', '# begins a comment'],
    ['CI=1 npm test', 'no shell sets CI: put env before it'],
    ['CI="a b" npm test', 'no shell sets CI'],
    ['"a', 'a quotation mark " is not closed'],
    ["'a", "a quotation mark ' is not closed"],
    ['a\\', 'a backslash at the end'],
    ['grep "\\d+"', '\\d in double quotes is not an escape'],
    ['grep "\\u{110000}"', '\\u{110000} in double quotes is not an escape'],
  ])('refuses %j: no shell would run it', (line, problem) => {
    expect(parseCommandLine(line)).toEqual({ kind: 'fault', problem: expect.stringContaining(problem) });
  });

  it('of a megabyte is read', () => {
    const argv = ['\\"'.repeat(500_000), 'a'.repeat(500_000)];
    expect(parseCommandLine(formatCommandLine(argv))).toEqual({ kind: 'words', argv });
    expect(parseCommandLine(`a "${'\\"'.repeat(500_000)}`).kind).toBe('fault');
  });
});
