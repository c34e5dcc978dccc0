import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { parseCommand } from '../../../src/registry/parse.js';

function refusal(...words: string[]): { code: string; message: string; problems: string[]; fix: unknown } {
  try {
    parseCommand(words);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    const problems = error.details.map(({ problem }) => problem);
    return { code: error.code, message: error.message, problems, fix: error.fix };
  }
  throw new Error(`accepted: ${words.join(' ')}`);
}

function accepted(...words: string[]): object {
  const { form, input, globals } = parseCommand(words);
  return { command: form.name, input, globals };
}

describe('parsing a command line', () => {
  it('takes positionals, options and global options wherever they stand', () => {
    const expected = {
      command: 'step complete',
      input: { name: 'x', action: 'a1' },
      globals: { root: 'd', json: true },
    };
    expect(accepted('step', 'complete', 'x', '--action', 'a1', '--root', 'd', '--json')).toEqual(expected);
    expect(accepted('--root', 'd', 'step', '--json', 'complete', '--action=a1', 'x')).toEqual(expected);
    expect(accepted('dev-cli', '--root=d', '--json', 'step', 'complete', '--action', 'a1', '--', 'x')).toEqual(
      expected,
    );
  });

  it('gives each form its type', () => {
    const words = ['init', 'x', '--quick', '--set', 'a=1', '--set', 'b=c=d', '--goal', '-'];
    expect(accepted(...words)).toEqual({
      command: 'init',
      input: { name: 'x', quick: true, goal: '-', set: { a: '1', b: 'c=d' } },
      globals: {},
    });
    expect(accepted('next', '--wait', '45')).toMatchObject({ input: { wait: 45 } });
    expect(accepted('step', 'complete', '--action', 'a1', '--without', 'a, b', '--reason', 'r')).toMatchObject({
      input: { without: ['a', 'b'], reason: 'r' },
    });
    expect(accepted('recipe', 'lint', 'a', 'b')).toMatchObject({ input: { files: ['a', 'b'] } });
  });

  it('takes whatever follows an option as its value', () => {
    expect(accepted('step', 'fail', '--action', 'a1', '--reason', '--json')).toEqual({
      command: 'step fail',
      input: { action: 'a1', reason: '--json' },
      globals: {},
    });
    expect(accepted('step', 'fail', '--action', 'a1', '--reason', '--')).toMatchObject({ input: { reason: '--' } });
    expect(accepted('step', 'fail', '--action', 'a1', '--reason=')).toMatchObject({ input: { reason: '' } });
    expect(accepted('step', 'fail', '--action', 'a1', '--reason', '--help')).toMatchObject({ command: 'step fail' });
  });

  it('takes everything behind -- as it is', () => {
    expect(accepted('check', '--', '--json')).toMatchObject({ input: { subject: '--json' }, globals: {} });
  });

  it.each([
    [[], {}],
    [['--json'], {}],
    [['--help'], {}],
    [['-h'], {}],
    [['help'], {}],
    [['help', 'step', 'complete'], { command: ['step', 'complete'] }],
    [['step', '--help'], { command: ['step'] }],
    [['step', 'complete', '-h'], { command: ['step', 'complete'] }],
    [['step', 'complete', '--bogus', '--help'], { command: ['step', 'complete'] }],
    [['--help', 'step', 'complete'], { command: ['step', 'complete'] }],
  ])('understands %j as a call for help', (words, input) => {
    expect(accepted(...words)).toMatchObject({ command: 'help', input });
  });

  it.each([
    [['next', '--ful'], 'unknown option "--ful". Did you mean "--full"?'],
    [['next', '-f'], 'unknown option "-f".'],
    [['next', '--full', '--full'], '--full is given twice.'],
    [['next', '--full=yes'], '--full takes no value.'],
    [['next', '--wait'], '--wait needs a value.'],
    [['next', '--wait', '-5'], '--wait: "-5" is not a whole number from 0 to 999999999'],
    [['next', '--wait', '1.5'], '--wait: "1.5" is not'],
    [['next', '--wait', ''], '--wait: "" is not'],
    [['next', 'a', 'b'], '"b" is one argument too many.'],
    [['next', '--json', '--text'], '--json and --text cannot be combined.'],
    [['trust'], '<recipe> is missing.'],
    [['init', 'x', '--quick', '--standard'], '--quick and --standard cannot be combined.'],
    [['init', 'x', '--autopilot', '--interactive'], '--autopilot and --interactive cannot be combined.'],
    [['init', 'x', '--set', 'a'], '--set: "a" is not KEY=VALUE'],
    [['init', 'x', '--set', '__proto__=a'], '--set: "__proto__=a" is not KEY=VALUE'],
    [['init', 'x', '--set', 'a=1', '--set', 'a=2'], '--set: "a" is set twice'],
    [['step', 'complete'], '--action or --step is missing.'],
    [['step', 'complete', '--action', 'a', '--step', 'b'], '--action and --step cannot be combined.'],
    [['step', 'complete', '--action', 'a', '--choice', 'b', '--collect'], '--choice and --collect cannot be combined.'],
    [['step', 'complete', '--action', 'a', '--data', '{}', '--collect'], '--data and --collect cannot be combined.'],
    [['step', 'complete', '--action', 'a', '--without', 'b'], '--without requires --reason.'],
    [['step', 'complete', '--action', 'a', '--without', 'b,', '--reason', 'r'], '--without: "b," has an empty item'],
    [['step', 'complete', '--action', 'a', '--note', 'b'], '--note requires --choice.'],
    [['step', 'fail', '--action', 'a'], '--reason is missing.'],
    [
      ['schema', 'plan'],
      '<schema>: "plan" is not one of recipe, recipe-script, recipe-test, plan-content, size, state, action, results, execution, memory-book, loop-config, loop-goals, loop-state, loop-event, loop-decision, protocol-task, protocol-result.',
    ],
    [['schema', 'stat'], 'Did you mean "state"?'],
    [['use'], '<name> is missing.'],
    [['list', 'x'], '"x" is one argument too many.'],
  ])('refuses %j', (words, problem) => {
    const { code, message, problems } = refusal(...words);
    expect(code).toBe('USAGE');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
    expect(message).toContain(problem);
  });

  it('tells all problems at once and where to read on', () => {
    const { problems, message, fix } = refusal('step', 'fail', '--bogus', '--action', 'a', 'b', 'c');
    expect(problems).toHaveLength(3);
    expect(message).toContain('(and 2 more)');
    expect(fix).toEqual({ command: 'help', input: { command: ['step', 'fail'] } });
  });

  it.each([
    [['nxt'], 'Unknown command "nxt". Did you mean "next"?'],
    [['step', 'compete'], 'Unknown command "step compete". Did you mean "step complete"?'],
    [['zzzzzzzz'], 'Unknown command "zzzzzzzz".'],
    [['step'], '"step" needs one of: complete, fail, invalidate, undo.'],
    [['goal'], '"goal" is reserved for later'],
    [['usage', '--json'], '"usage" is reserved for later'],
    [['constructor'], 'Unknown command "constructor".'],
    [['__proto__'], 'Unknown command "__proto__".'],
    [[''], 'Unknown command "".'],
  ])('knows no command %j', (words, message) => {
    expect(refusal(...words)).toMatchObject({ code: 'UNKNOWN_COMMAND', message: expect.stringContaining(message) });
  });

  it('wants a command in front of its options', () => {
    expect(refusal('--bogus', 'next')).toMatchObject({ code: 'USAGE' });
    expect(refusal('--', 'next')).toMatchObject({ code: 'USAGE' });
  });
});
