import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { executeCommand } from '../../../src/app/execute.js';
import type { Answer } from '../../../src/base/answer.js';
import { DevCliError } from '../../../src/base/errors.js';
import { type ProcessIo, runCommandLine } from '../../../src/cli/front.js';
import { findCommand } from '../../../src/registry/find.js';

// Another test file of this process may have loaded the front door with the real app, so modules are loaded anew.
vi.hoisted(() => vi.resetModules());
vi.mock('../../../src/app/execute.js', () => ({ executeCommand: vi.fn() }));
const app = vi.mocked(executeCommand);

let directory: string;
let controller: AbortController;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-front-')));
  controller = new AbortController();
  app.mockReset();
  app.mockResolvedValue({ json: { ok: true }, exit: 0, text: () => 'well done' });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
// Other test files of this process call the front door with the real app.
afterAll(() => {
  vi.doUnmock('../../../src/app/execute.js');
  vi.resetModules();
});

function call(argv: string[], io: Partial<ProcessIo> = {}): ReturnType<typeof runCommandLine> {
  return runCommandLine(argv, {
    cwd: directory,
    env: {},
    stdin: 0,
    stdinIsTerminal: true,
    stdoutIsTerminal: false,
    ask: async () => '',
    gateScreen: () => Promise.reject(new Error('nobody decides')),
    write: () => true,
    tell: () => {},
    screen: () => ({ columns: 80, rows: 24 }),
    keys: () => Promise.reject(new Error('nobody types')),
    interruption: () => controller.signal,
    ...io,
  });
}

/** Returns the input that the app receives for this command line. */
async function inputOf(...argv: string[]): Promise<unknown> {
  await call(argv);
  return app.mock.calls[0]?.[0].input;
}

async function failureOf(...argv: string[]): Promise<{ exit: number; code: string; message: string; fix?: string }> {
  const { stdout, stderr, exit } = await call(argv);
  expect(stderr).toBe('');
  expect(app).not.toHaveBeenCalled();
  const { error, ok } = JSON.parse(stdout) as { ok: boolean; error: { code: string; message: string; fix?: string } };
  expect(ok).toBe(false);
  return { exit, ...error };
}

describe('what the app gets', () => {
  it('is the command, its input and its surroundings', async () => {
    await call(['next', 'x', '--root', 'elsewhere'], { stdoutIsTerminal: true });
    expect(app.mock.calls[0]?.[0]).toEqual({ command: 'next', input: { name: 'x' } });
    expect(app.mock.calls[0]?.[1]).toMatchObject({ cwd: directory, root: 'elsewhere', stdoutIsTerminal: true });
  });

  it('holds texts, wherever they came from', async () => {
    writeFileSync(join(directory, 'why.md'), 'because\nof "this"\n\n');
    expect(await inputOf('step', 'fail', '--action', 'a1', '--reason', '@why.md')).toEqual({
      action: 'a1',
      reason: 'because\nof "this"',
    });
    app.mockClear();
    expect(await inputOf('step', 'fail', '--action', 'a1', '--reason', 'plain')).toMatchObject({ reason: 'plain' });
  });

  it('holds data with its source', async () => {
    writeFileSync(join(directory, 'answers.md'), '\ufeff## purpose\nx\n');
    expect(await inputOf('draft', 'update', '--data', '@answers.md')).toEqual({
      data: { source: 'file', name: 'answers.md', text: '## purpose\nx\n' },
    });
    app.mockClear();
    expect(await inputOf('draft', 'update', '--data', '["a"]')).toEqual({ data: { source: 'inline', text: '["a"]' } });
  });

  it('finds a printed path from a subdirectory, and from a named root', async () => {
    mkdirSync(join(directory, '.dev/specs/x'), { recursive: true });
    mkdirSync(join(directory, 'src/deep'), { recursive: true });
    writeFileSync(join(directory, '.dev/specs/x/r.md'), 'why');
    const argv = ['step', 'fail', 'x', '--action', 'a1', '--reason', '@.dev/specs/x/r.md'];
    await call(argv, { cwd: join(directory, 'src/deep') });
    await call([...argv, '--root', directory], { cwd: tmpdir() });
    await call(argv, { cwd: tmpdir(), env: { DEV_CLI_ROOT: directory } });
    expect(app.mock.calls.map(([given]) => given.input['reason'])).toEqual(['why', 'why', 'why']);
  });
});

describe('bad data', () => {
  it.each([
    ['nothing', ['draft', 'update', 'x'], 'DATA_MISSING', '--data is missing.'],
    ['an empty value', ['draft', 'update', 'x', '--data', ''], 'DATA_MISSING', '--data is empty.'],
    ['no file name', ['draft', 'update', 'x', '--data', '@'], 'DATA_MISSING', 'no file name after the @'],
    ['a missing file', ['draft', 'update', 'x', '--data', '@nope.md'], 'DATA_MISSING', 'There is no file "nope.md".'],
    ['an empty file', ['draft', 'update', 'x', '--data', '@empty.md'], 'DATA_MISSING', 'empty.md is empty.'],
    ['a directory', ['draft', 'update', 'x', '--data', '@sub'], 'DATA_MALFORMED', '"sub" is a directory.'],
    [
      'bytes that are no text',
      ['draft', 'update', 'x', '--data', '@bytes'],
      'DATA_MALFORMED',
      'bytes is not UTF-8 text.',
    ],
    ['a terminal as standard input', ['draft', 'update', 'x', '--data', '-'], 'DATA_MISSING', 'is a terminal'],
    ['a terminal by default', ['analysis', 'save', 'x', '--agent', 'a'], 'DATA_MISSING', 'is a terminal'],
    ['an empty reason', ['abort', 'x', '--reason', ' '], 'DATA_MISSING', '--reason is empty.'],
    ['a link to itself', ['abort', 'x', '--reason', '@loop'], 'IO', '"loop" cannot be read (ELOOP).'],
  ])('%s is refused', async (_, argv, code, message) => {
    mkdirSync(join(directory, 'sub'));
    writeFileSync(join(directory, 'empty.md'), ' \n');
    writeFileSync(join(directory, 'bytes'), Buffer.from([0x61, 0xff, 0xfe]));
    symlinkSync('loop', join(directory, 'loop'));
    const failure = await failureOf(...argv);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(failure.exit).toBe(code === 'IO' ? 1 : 2);
  });

  it('a file name without @ is pointed out', async () => {
    writeFileSync(join(directory, 'plan.json'), '{}');
    const failure = await failureOf('plan', 'generate', 'x', '--data', 'plan.json');
    expect(failure).toMatchObject({ code: 'DATA_MALFORMED', fix: expect.stringContaining('--data @plan.json') });
  });

  it('more than 8 MiB are refused, 8 MiB are not', async () => {
    writeFileSync(join(directory, 'big.json'), `"${'x'.repeat(8 * 1024 * 1024 - 2)}"`);
    writeFileSync(join(directory, 'bigger.json'), `"${'x'.repeat(8 * 1024 * 1024 - 1)}"`);
    const failure = await failureOf('plan', 'validate', 'x', '--data', '@bigger.json');
    expect(failure).toMatchObject({ code: 'DATA_MALFORMED', message: expect.stringContaining('8 MiB') });
    expect((await call(['plan', 'validate', 'x', '--data', '@big.json'])).exit).toBe(0);
  });
});

describe('what is printed', () => {
  const invocation = { command: 'next', input: { name: 'x', wait: 45 } };
  const answered = (json: object, exit: Answer['exit'] = 0) => app.mockResolvedValue({ json, exit });

  it('is JSON on one line, indented on a terminal', async () => {
    answered({ ok: true, a: [1] });
    expect((await call(['next'])).stdout).toBe('{"ok":true,"a":[1]}\n');
    expect((await call(['next'], { stdoutIsTerminal: true })).stdout).toBe(
      '{\n  "ok": true,\n  "a": [\n    1\n  ]\n}\n',
    );
  });

  it('is text for people, the other form on demand', async () => {
    expect((await call(['status'])).stdout).toBe('well done\n');
    expect((await call(['status', '--json'])).stdout).toBe('{"ok":true}\n');
    expect((await call(['next', '--text'])).stdout).toBe('well done\n');
    answered({ ok: true });
    expect((await call(['next', '--text'])).stdout).toBe('{\n  "ok": true\n}\n');
  });

  it('has the exit code of the answer', async () => {
    answered({ ok: false, missing: [] }, 3);
    expect(await call(['draft', 'validate'])).toMatchObject({ exit: 3, stdout: '{"ok":false,"missing":[]}\n' });
  });

  it('writes invocations out wherever they stand, and only there', async () => {
    const line = 'dev-cli next x --wait 45';
    const given = (command: unknown) => ({
      next: { poll: command, choices: [{ id: 'a', ack: command }], tasks: [{ ack: command }], resume: command },
      other: invocation,
      fix: 'Write it.',
    });
    answered(given(invocation));
    expect(JSON.parse((await call(['next'])).stdout)).toEqual(given(line));
  });

  it('lets nothing through that a terminal would act on', async () => {
    app.mockResolvedValue({
      json: { t: 'a\u009bb\u2028c' },
      exit: 0,
      text: () => 'a\u001b]0;x\u0007b\u001b[1mc\u001b[2J\u202ed\te',
    });
    expect((await call(['next'])).stdout).toBe('{"t":"a\\u009bb\\u2028c"}\n');
    expect((await call(['status'])).stdout).toBe('a]0;xbc[2Jd\te\n');
    const terminal = { stdoutIsTerminal: true };
    // dev-cli itself writes no colours here, so all colour codes come from foreign text and are removed.
    expect((await call(['status'], terminal)).stdout).toBe('a]0;xbc[2Jd\te\n');
  });
});

describe('a failure', () => {
  const refused = new DevCliError('EVIDENCE_MISSING', '1 of 3\u001b[31m promised\nfiles is missing', {
    run: 'x',
    details: [{ agent: 'gap', target: 'a\u0007b', problem: 'not written' }],
    fix: { command: 'next', input: { name: 'x' } },
    instead: { command: 'step complete', input: { name: 'x', action: 'a6', without: ['gap'], reason: '@r.md' } },
    pending: { actionId: 'a6', ack: { command: 'step complete', input: { name: 'x', action: 'a6' } } },
  });

  it('is one JSON document with every part, nothing on standard error', async () => {
    app.mockRejectedValue(refused);
    const { stdout, stderr, exit } = await call(['step', 'complete', 'x', '--action', 'a6']);
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 3 });
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      run: 'x',
      error: {
        code: 'EVIDENCE_MISSING',
        message: '1 of 3 [31m promised files is missing',
        details: [{ agent: 'gap', target: 'a b', problem: 'not written' }],
        fix: 'dev-cli next x',
        instead: 'dev-cli step complete x --action a6 --without gap --reason @r.md',
      },
      pending: { actionId: 'a6', ack: 'dev-cli step complete x --action a6' },
    });
  });

  it('is one line on standard error where text was asked for, and each problem below it', async () => {
    app.mockRejectedValue(refused);
    expect(await call(['status', 'x'])).toEqual({
      stdout: '',
      stderr: 'EVIDENCE_MISSING: 1 of 3 [31m promised files is missing. dev-cli next x\n  a b: not written\n',
      exit: 3,
    });
    expect((await call(['status', 'x', '--json'])).stderr).toBe('');
  });

  it('of a command for people is text also when its options are wrong', async () => {
    expect(await call(['status', '--bogus'])).toMatchObject({ stdout: '', exit: 2 });
    expect(await call(['status', '--bogus', '--json'])).toMatchObject({ stderr: '', exit: 2 });
    expect(await call(['bogus'])).toMatchObject({ stderr: '', exit: 2 });
    expect(await call(['bogus', '--text'])).toMatchObject({ stdout: '', exit: 2 });
  });

  it('that nobody foresaw is INTERNAL, its stack only on demand', async () => {
    app.mockRejectedValue(new TypeError('x is not a function'));
    const quiet = await call(['next']);
    expect(JSON.parse(quiet.stdout)).toMatchObject({ error: { code: 'INTERNAL', details: [] } });
    expect(quiet.exit).toBe(1);
    expect(quiet.stdout).not.toContain('front.test');
    const loud = await call(['next'], { env: { DEV_CLI_DEBUG: '1' } });
    expect(loud.stdout).toContain('front.test');
  });

  it('of printing itself is still one document', async () => {
    app.mockResolvedValue({ json: { ack: { command: 'no such', input: {} } }, exit: 0 });
    expect(JSON.parse((await call(['next'])).stdout)).toMatchObject({ error: { code: 'INTERNAL' } });
    app.mockRejectedValue(new DevCliError('USAGE', 'm', { fix: { command: 'no such', input: {} } }));
    expect(JSON.parse((await call(['next'])).stdout)).toMatchObject({ error: { code: 'INTERNAL' } });
  });

  it('by Ctrl-C is INTERRUPTED, exit 130', async () => {
    app.mockImplementation(() => new Promise(() => undefined));
    const printed = call(['next', '--wait', '45']);
    controller.abort();
    expect(await printed).toMatchObject({ exit: 130, stderr: '', stdout: expect.stringContaining('"INTERRUPTED"') });
  });
});

describe('a command that winds down', () => {
  const form = { ...findCommand('abort'), windsDown: true };
  const read = { form, input: {}, globals: {} };
  beforeEach(() => {
    vi.doMock('../../../src/registry/parse.js', () => ({ readCommandLine: () => read }));
  });
  afterEach(() => void vi.doUnmock('../../../src/registry/parse.js'));

  it('hears Ctrl-C, ends what it has begun, and answers by itself', async () => {
    const told: string[] = [];
    app.mockImplementation(
      (_call, { signal, tell }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            tell('keeping the work');
            setImmediate(() => resolve({ json: { exit_code: 130 }, exit: 130, text: () => 'kept' }));
          });
          controller.abort();
        }),
    );
    const printed = await call(['abort'], { tell: (line) => void told.push(line) });
    expect(printed).toMatchObject({ exit: 130, stdout: expect.stringContaining('"exit_code":130') });
    expect(told).toEqual(['keeping the work']);
  });

  it('gets no answer to a question that a signal cuts off', async () => {
    app.mockImplementation(async (_call, { ask }) => {
      throw await ask('Trust it? ').catch((error) => error);
    });
    const ask = () => {
      controller.abort();
      return new Promise<never>(() => undefined);
    };
    expect(await call(['abort'], { ask })).toMatchObject({
      exit: 130,
      stdout: expect.stringContaining('"INTERRUPTED"'),
    });
  });
});
