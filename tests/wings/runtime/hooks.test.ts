import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendFeedback, type Hook, type Hooks, listMatchingHooks } from '../../../src/wings/runtime/hooks/outcome.js';
import { type HookedCall, type HookSite, runHooks } from '../../../src/wings/runtime/hooks/run-hooks.js';

// runtime.md, Hooks: how hooks are run, and what their output and exit codes do

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooks-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const CALL: HookedCall = {
  session: 's1',
  mode: 'workspace-write',
  id: 'c1',
  tool: 'bash',
  input: '{"command":"make"}',
};
const AFTER: HookedCall = { ...CALL, result: { output: 'done', isError: true } };

const site = (hooks: Hooks, given: Partial<HookSite> = {}): HookSite => ({
  hooks,
  cwd: directory,
  env: { PATH: process.env['PATH'], HOME: directory },
  signal: new AbortController().signal,
  clean: (text) => text,
  ...given,
});
const pre = (...hooks: (string | Hook)[]) => runHooks('PreToolUse', CALL, site({ PreToolUse: hooks }));
const NONE = { messages: [], warnings: [] };
const say = (said: unknown) => `echo '${JSON.stringify(said)}'`;

describe('a hook', () => {
  it.each<[string, object]>([
    ['true', NONE],
    ['cat >/dev/null; echo " hello "', { messages: ['hello'], warnings: [] }],
    ['echo out; exit 2', { ...NONE, denied: 'out' }],
    ['echo err >&2; exit 2', { ...NONE, denied: 'err' }],
    ['echo out; echo err >&2; exit 2', { ...NONE, denied: 'out' }],
    ['exit 2', { ...NONE, denied: 'PreToolUse hook denied tool `bash`' }],
  ])('that ends well or denies: %s', async (command, expected) => {
    expect(await pre(command)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['exit 1', 'ended with exit code 1'],
    ['echo why >&2; exit 3', 'ended with exit code 3: why'],
    ['echo out; exit 127', 'ended with exit code 127: out'],
    ['kill -9 $$', 'was ended by SIGKILL'],
    ['kill -TERM $$', 'was ended by SIGTERM'],
  ])('that fails warns, or denies where it is told to: %s', async (command, how) => {
    const failure = `PreToolUse hook \`${command}\` ${how}`;
    expect(await pre(command)).toEqual({ messages: [], warnings: [failure] });
    expect(await pre({ command, failClosed: true })).toEqual({ ...NONE, denied: failure });
  });

  it.each<[unknown, object]>([
    [{}, NONE],
    [{ decision: 'approve' }, NONE],
    [{ continue: true, other: 'x' }, NONE],
    [{ reason: 'r' }, { messages: ['r'], warnings: [] }],
    [{ systemMessage: ' m ' }, { messages: ['m'], warnings: [] }],
    [{ hookSpecificOutput: { additionalContext: 'c' } }, { messages: ['c'], warnings: [] }],
    [
      { hookSpecificOutput: { additionalContext: 'c' }, systemMessage: 'm', reason: 'r' },
      { messages: ['r', 'm', 'c'], warnings: [] },
    ],
    [
      { reason: 'same', systemMessage: 'same' },
      { messages: ['same'], warnings: [] },
    ],
    [{ reason: 1, systemMessage: null, hookSpecificOutput: [] }, NONE],
    [{ decision: 'block' }, { ...NONE, denied: 'PreToolUse hook denied tool `bash`' }],
    [
      { decision: 'block', reason: 'r' },
      { ...NONE, denied: 'r' },
    ],
    [
      { continue: false, systemMessage: 'm' },
      { ...NONE, denied: 'm' },
    ],
    // A hook cannot allow a call or change its input.
    [{ hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'x' } } }, NONE],
    // If the output is not an object, its text is the message.
    [[1], { messages: ['[1]'], warnings: [] }],
    [null, { messages: ['null'], warnings: [] }],
  ])('that says %j', async (said, expected) => {
    expect(await pre(say(said))).toEqual(expected);
  });

  it('that denies by exit code and JSON is quoted by what it says', async () => {
    expect(await pre(`${say({ reason: 'r' })}; exit 2`)).toEqual({ ...NONE, denied: 'r' });
    expect(await pre(`${say({})}; echo err >&2; exit 2`)).toEqual({ ...NONE, denied: 'err' });
    expect(await pre(`${say({ decision: 'block' })}; exit 1`)).toMatchObject({ warnings: [expect.any(String)] });
  });

  it('that says broken JSON gives a message', async () => {
    expect(await pre(`echo '{"decision": "block"'`)).toEqual({ messages: ['{"decision": "block"'], warnings: [] });
  });

  it('runs in order, until one denies', async () => {
    const outcome = await pre('echo a; echo a >> log', 'exit 9', 'echo b >> log; exit 2', 'echo c >> log');
    expect(outcome).toEqual({
      messages: ['a'],
      warnings: ['PreToolUse hook `exit 9` ended with exit code 9'],
      denied: 'PreToolUse hook denied tool `bash`',
    });
    expect(readFileSync(join(directory, 'log'), 'utf8')).toBe('a\nb\n');
  });

  it('that hangs is ended with all that it started', async () => {
    const hanging = { command: 'sleep 100 & echo $! > pid; sleep 100', timeout: 1 };
    expect(await pre(hanging)).toEqual({
      messages: [],
      warnings: [expect.stringMatching(/^PreToolUse hook `sleep .*` did not end within 1 s$/)],
    });
    // On a busy machine, the hook may have been killed before it wrote the pid.
    await expect.poll(() => readPid() > 0 && isAlive(readPid())).toBe(false);
  });

  it('that ends while its children go on is not waited for', async () => {
    expect(await pre('sleep 100 & echo $! > pid; echo said')).toEqual({ messages: ['said'], warnings: [] });
    process.kill(Number(readFileSync(join(directory, 'pid'), 'utf8')));
  });

  it('that says 1 MB is heard for 64 KiB, whole characters', async () => {
    const [message = ''] = (await pre(`${process.execPath} -e "process.stdout.write('aä'.repeat(400000))"`)).messages;
    expect(Buffer.byteLength(message)).toBeGreaterThan(64 * 1024 - 3);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(64 * 1024);
    expect(message).toMatch(/^(?:aä)+a?$/);
  });

  it('need not read what it is told', async () => {
    const call = { ...CALL, input: JSON.stringify({ content: 'x'.repeat(3_000_000) }) };
    expect(await runHooks('PreToolUse', call, site({ PreToolUse: ['exec <&-; echo ok', 'echo ok'] }))).toEqual({
      messages: ['ok', 'ok'],
      warnings: [],
    });
  });

  it('that cannot be started warns', async () => {
    const warns = { messages: [], warnings: [expect.stringContaining('could not be started (ENOENT)')] };
    const nowhere = site({ PreToolUse: ['true'] }, { cwd: join(directory, 'nowhere') });
    expect(await runHooks('PreToolUse', CALL, nowhere)).toEqual(warns);
    expect((await pre('echo \0')).warnings).toEqual([expect.stringContaining('could not be started')]);
  });

  it('ends with the call, which then goes no further', async () => {
    const ended = new AbortController();
    const hooks = site({ PreToolUse: ['echo $$ > pid; sleep 100', 'echo x > second'] }, { signal: ended.signal });
    const heard = runHooks('PreToolUse', CALL, hooks);
    const refused = expect(heard).rejects.toThrow('enough');
    await expect.poll(() => readPid()).toBeGreaterThan(0);
    ended.abort(new Error('enough'));
    await refused;
    await expect.poll(() => isAlive(readPid())).toBe(false);
    await expect(runHooks('PreToolUse', CALL, hooks)).rejects.toThrow('enough');
  });

  it('hears of the call on standard input', async () => {
    const told = async (moment: 'PreToolUse' | 'PostToolUse', call: HookedCall) => {
      await runHooks(moment, call, site({ [moment]: ['cat > told'] }));
      return JSON.parse(readFileSync(join(directory, 'told'), 'utf8')) as unknown;
    };
    const known = {
      session_id: 's1',
      cwd: directory,
      permission_mode: 'workspace-write',
      tool_use_id: 'c1',
      tool_name: 'bash',
      tool_input: { command: 'make' },
      tool_input_json: CALL.input,
    };
    expect(await told('PreToolUse', CALL)).toEqual({
      hook_event_name: 'PreToolUse',
      ...known,
      tool_output: null,
      tool_result_is_error: false,
    });
    expect(await told('PostToolUse', AFTER)).toEqual({
      hook_event_name: 'PostToolUse',
      ...known,
      tool_output: 'done',
      tool_result_is_error: true,
    });
    expect(await told('PreToolUse', { ...CALL, input: '{"comm' })).toMatchObject({ tool_input: { raw: '{"comm' } });
    expect(await told('PreToolUse', { ...CALL, input: '[1]' })).toMatchObject({ tool_input: { raw: '[1]' } });
    expect(await told('PreToolUse', { ...CALL, input: '' })).toMatchObject({ tool_input: {}, tool_input_json: '' });
  });

  it('hears of the call by its environment, but for what is long', async () => {
    const command = 'env | grep ^HOOK_ | cut -c 1-60 | sort';
    const told = async (call: HookedCall, env: HookSite['env'] = process.env) => {
      const heard = await runHooks('PostToolUse', call, site({ PostToolUse: [command] }, { env }));
      return heard.messages.join('').split('\n');
    };
    expect(await told(AFTER)).toEqual([
      'HOOK_EVENT=PostToolUse',
      'HOOK_TOOL_INPUT={"command":"make"}',
      'HOOK_TOOL_IS_ERROR=1',
      'HOOK_TOOL_NAME=bash',
      'HOOK_TOOL_OUTPUT=done',
    ]);
    const limit = 32 * 1024;
    const stale = { ...process.env, HOOK_TOOL_INPUT: 'old', HOOK_TOOL_OUTPUT: 'old' };
    const few = ['HOOK_EVENT=PostToolUse', 'HOOK_TOOL_IS_ERROR=0', 'HOOK_TOOL_NAME=bash'];
    const result = (output: string) => ({ result: { output, isError: false } });
    expect(await told({ ...CALL, input: 'ä'.repeat(limit / 2 + 1), ...result('a\0') }, stale)).toEqual(few);
    expect(await told({ ...CALL, input: 'x'.repeat(limit), ...result('x'.repeat(limit + 1)) }, stale)).toHaveLength(4);
  });

  it('is cleaned before anybody sees it', async () => {
    const clean = (text: string) => text.replaceAll('secret', '[masked]');
    const hooks = site({ PreToolUse: ['echo secret', 'exit 5 # secret', 'echo secret; exit 2'] }, { clean });
    expect(await runHooks('PreToolUse', CALL, hooks)).toEqual({
      messages: ['[masked]'],
      warnings: [expect.stringContaining('[masked]')],
      denied: '[masked]',
    });
  });
});

function readPid(): number {
  try {
    return Number(readFileSync(join(directory, 'pid'), 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    // In a container without an init process, a killed process stays as a zombie.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a pattern', () => {
  it.each([
    [undefined, 'bash', true],
    ['bash', 'bash', true],
    ['Bash', 'bash', true],
    ['bash|edit_*', 'edit_file', true],
    ['Write | Edit', 'edit_file', true],
    ['bash|edit_*', 'write_file', false],
    ['*', 'mcp__a__b', true],
    ['mcp__A__*', 'mcp__a__b', true],
    ['mcp__a__b', 'mcp__a__b', true],
    ['*_file', 'read_file', true],
    ['b.sh', 'bash', false],
    ['b*.h', 'bash', false],
    ['bas', 'bash', false],
    ['', 'bash', false],
    ['Task', 'bash', false],
  ])('%j and %s', (match, tool, fits) => {
    const hook = { command: 'x', ...(match !== undefined && { match }) };
    expect(listMatchingHooks({ PostToolUse: [hook] }, 'PostToolUse', tool)).toEqual(fits ? [hook] : []);
    expect(listMatchingHooks({ PostToolUse: [hook] }, 'PreToolUse', tool)).toEqual([]);
  });
});

describe('feedback', () => {
  const result = { output: 'done', isError: false, data: { exitCode: 0 } };
  it('follows the result', () => {
    expect(appendFeedback(result, NONE, NONE)).toBe(result);
    expect(appendFeedback(result, { messages: ['a'], warnings: ['w'] }, { messages: ['b'], warnings: [] })).toEqual({
      ...result,
      output: 'done\n\nHook feedback:\na\nw\nb',
    });
    expect(appendFeedback({ output: '', isError: true }, { messages: ['a'], warnings: [] })).toEqual({
      output: 'Hook feedback:\na',
      isError: true,
    });
  });

  it('says that an effect was denied', () => {
    expect(appendFeedback(result, NONE, { messages: ['a'], warnings: [], denied: 'no' })).toEqual({
      ...result,
      output: 'done\n\nHook feedback (denied):\na\nno',
      isError: true,
    });
  });
});
