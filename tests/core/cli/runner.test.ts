import { describe, expect, it } from 'vitest';
import type { StreamItem } from '../../../src/base/answer.js';
import { DevCliError } from '../../../src/base/errors.js';
import { chooseFormat, printAnswer, printFailure, renderJson } from '../../../src/cli/print.js';
import { escapeWorkflowCommands } from '../../../src/cli/runner-commands.js';
import { printStream } from '../../../src/cli/stream.js';

// Text that GitHub's runner would take for a command is made harmless (view.md, CI).

/**
 * Whether the runner takes a line for a command: it begins with `::`, or has `##[` anywhere (spaces before it and
 * invisible characters do not matter).
 */
function isCommand(line: string): boolean {
  const seen = line.replace(/\p{DI}/gu, '');
  return seen.trimStart().startsWith('::') || seen.includes('##[');
}
const hasCommand = (text: string) => text.split(/\r\n?|\n/).some(isCommand);

const HOSTILE = [
  '::error::x',
  ' ::add-mask::e',
  '\t\u00a0\u3000::stop-commands::y',
  'x##[debug]',
  '###[error]',
  '##[##[error]',
  ':\u200d:error::x',
  '\u00ad::error::x',
  '#\u200c#[command]x',
  'a\n::set-output name=a::b',
  'a\r::error::x',
  ':::error::x',
];

const IN_RUNNER = { env: { GITHUB_ACTIONS: 'true' }, stdoutIsTerminal: false };
const inRunner = (globals: { json?: boolean } = {}, env = IN_RUNNER.env as NodeJS.ProcessEnv) =>
  chooseFormat({ output: 'text', actor: 'agent' }, globals, { ...IN_RUNNER, env });
const answer = (text: string) => ({ json: { text }, exit: 0 as const, text: () => text });

describe('commands for the runner in foreign text', () => {
  it.each(HOSTILE)('%j is broken, and loses nothing', (text) => {
    expect(hasCommand(text)).toBe(true);
    const broken = escapeWorkflowCommands(text);
    expect(hasCommand(broken)).toBe(false);
    expect(broken.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    expect(escapeWorkflowCommands(broken)).toBe(broken);
  });

  it.each(['a::b', 'x: y', '# title', '## [x]', 'std::vector', 'a ::b', 'x:\n:y', '#\n#[x]'])('%j stays', (text) => {
    expect(escapeWorkflowCommands(text)).toBe(text);
  });

  it.each([':', '#', ' ', '\u200d', '#\u200d', '\n', '::'])(
    'a megabyte of %j takes no time',
    (unit) => {
      const text = unit.repeat(1_000_000 / unit.length);
      expect(hasCommand(escapeWorkflowCommands(text))).toBe(false);
    },
    5_000,
  );
});

describe('what a call prints where the runner reads it', () => {
  it.each(HOSTILE)('holds no command: %j', async (text) => {
    const format = inRunner();
    const failed = new DevCliError('USAGE', text, { details: [{ problem: text }, { problem: `b${text}` }], fix: text });
    const item: StreamItem = { json: { seq: 1 }, text: () => text, block: true };
    const written: string[] = [];
    const stream = {
      exit: 0 as const,
      stream: (async function* () {
        yield item;
        yield { json: { seq: 2 }, text: () => text };
      })(),
    };
    await printStream(stream, format, {
      env: {},
      write: (part) => written.push(part) > 0,
      screen: () => ({ columns: 80, rows: 24 }),
    });
    const { stdout, stderr } = printAnswer({ ...answer(text), stderr: text }, format);
    for (const one of [stdout, stderr, printFailure(failed, format).stderr, ...written])
      expect(hasCommand(one), one).toBe(false);
  });

  it('breaks what is a command only once it is cleaned', () => {
    expect(hasCommand(printAnswer(answer(':\u001b[0m:error::x'), inRunner()).stdout)).toBe(false);
    expect(hasCommand(printAnswer(answer('#\u202e#[error]x'), inRunner()).stdout)).toBe(false);
  });

  it('keeps the commands of dev-cli itself, behind the text', () => {
    const { stdout } = printAnswer({ ...answer('::a::b'), commands: '::error title=x::y\n' }, inRunner());
    expect(stdout).toBe(': :a::b\n::error title=x::y\n');
  });
});

describe('elsewhere not a byte differs', () => {
  const commands = '::error::own\n';
  it.each([
    ['without a runner', inRunner({}, {})],
    ['in a harness there', inRunner({}, { GITHUB_ACTIONS: 'true', CLAUDECODE: '1' })],
  ])('%s', (_, format) => {
    expect(printAnswer({ ...answer('::a::b\nx##[y]'), commands }, format).stdout).toBe('::a::b\nx##[y]\n');
  });

  it('as JSON', () => {
    const format = inRunner({ json: true });
    const made = { ...answer('::a::b\nx##[y]'), commands };
    expect(printAnswer(made, format).stdout).toBe(`${renderJson(made.json, format)}\n`);
    expect(JSON.parse(printAnswer(made, format).stdout)).toEqual(made.json);
  });
});
