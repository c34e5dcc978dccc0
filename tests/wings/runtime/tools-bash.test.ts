import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.js';
import { inspectJob } from '../../../src/jobs/detached.js';
import { probeSandbox, type Sandbox, wrapInSandbox } from '../../../src/wings/runtime/tools/sandbox.js';
import { createTools } from '../../../src/wings/runtime/tools/tools.js';
import { waitUntil } from '../../../src/work/processes.js';
import { scratchDirectory } from '../../support/scratch.js';
import { type Bench, openBench } from './tools.js';

/** The runtime's commands: jobs that outlive the calling process (runtime.md, Tools). */

const benches: Bench[] = [];
function open(given: Parameters<typeof openBench>[0] = {}) {
  const bench = openBench(given);
  benches.push(bench);
  const run = (command: string, more: JsonObject = {}) => bench.call('bash', { command, ...more });
  return { ...bench, run };
}
afterEach(() => {
  for (const { runners } of benches.splice(0)) runners.release();
});

const readPid = (path: string) => Number(readFileSync(path, 'utf8'));
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    // In a container without an init process, a dead process may stay as a zombie.
    return process.platform === 'linux' && readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
};

describe('bash', () => {
  it('gives both streams as they come, and takes an exit for no error', async () => {
    const { run, site, next } = open();
    const log = join(site.directory, 'command.log');
    expect(await run('echo a; echo b >&2; echo c; exit 1', { description: 'says' })).toEqual({
      output: 'a\nb\nc\n[exit 1]',
      isError: false,
      data: { output: 'a\nb\nc', exitCode: 1, timedOut: false, log },
    });
    next();
    expect(await run('true')).toMatchObject({ output: '(no output)', isError: false, data: { exitCode: 0 } });
    next();
    expect(await run('kill -9 $$')).toMatchObject({ output: '[ended by SIGKILL]', data: { exitCode: null } });
    next();
    expect(await run('[[ a == a ]] && echo $0')).toMatchObject({ output: 'bash' });
  });

  it('starts in the work tree, without the keys, marked, and with nothing to read', async () => {
    const { run, tree, next } = open({ env: { SECRET_KEY_OF_RUNTIME: 'k', OTHER: 'o' } });
    const { output } = await run(
      'pwd; env | grep -E "^(AI_AGENT|SECRET_KEY_OF_RUNTIME|OTHER)=" | sort; cat; read x || echo end',
    );
    expect(output).toBe(`${tree}\nAI_AGENT=dev-cli\nOTHER=o\nend`);
    next();
    expect((await run('-x')).output).toMatch(/-x: command not found\n\[exit 127\]$/);
  });

  it('refuses what is no command', async () => {
    const { run } = open();
    expect(await run(' ')).toEqual({ output: 'the command is empty or contains a NUL', isError: true });
    expect((await run('echo a\0b')).output).toBe('the command is empty or contains a NUL');
    const longest = 128 * 1024;
    expect((await run(`:${' '.repeat(longest - 2)}`)).data).toMatchObject({ exitCode: 0 });
    expect((await run(`:${' '.repeat(longest - 1)}`)).output).toMatch(/longer than 128 KiB/);
  });

  it('says that it could not be started', async () => {
    const { plan, tree } = open();
    const made = await plan('bash', { command: 'echo' });
    rmSync(tree, { recursive: true });
    expect(made.kind === 'command' && (await made.run())).toMatchObject({
      output: expect.stringMatching(/^dev-cli: the command could not be started: .*\n\[it could not be started\]$/s),
      isError: true,
    });
  });

  it('never runs twice, and is collected by whoever asks next', async () => {
    const { run, get } = open();
    const first = await run('echo run >> count; echo out');
    expect(await run('echo run >> count; echo out')).toEqual(first);
    expect(get('count')).toBe('run\n');
  });

  it('goes on when its caller is interrupted, and is collected afterwards', async () => {
    const interrupted = new AbortController();
    const { plan, site, get, put, tree } = open({ signal: interrupted.signal });
    const command = 'echo run >> count; while [ ! -e go ]; do sleep 0.05; done; echo out';
    const begun = await plan('bash', { command });
    const waiting = begun.kind === 'command' ? begun.run() : null;
    await waitUntil(() => existsSync(join(tree, 'count')), 20_000, 20);
    interrupted.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
    put('go', '');
    site.signal = new AbortController().signal;
    const again = await plan('bash', { command });
    expect(again.kind === 'command' && (await again.run())).toMatchObject({ output: 'out', isError: false });
    expect(get('count')).toBe('run\n');
  });

  it('says of a command whose end nobody saw that it may have run in part', async () => {
    const { plan, site, tree, get } = open();
    const command = 'echo $PPID > runner; echo $$ > shell; echo part; echo run >> count; sleep 600';
    const begun = await plan('bash', { command });
    const waiting = begun.kind === 'command' ? begun.run() : null;
    await waitUntil(() => existsSync(join(tree, 'count')), 20_000, 20);
    process.kill(readPid(join(tree, 'runner')), 'SIGKILL');
    expect(await waiting).toMatchObject({
      output: expect.stringMatching(/^interrupted; it may have run in part/),
      isError: true,
      data: { exitCode: null, timedOut: false },
    });
    expect(await waitUntil(() => isGone(readPid(join(tree, 'shell'))), 20_000, 20)).toBe(true);
    expect(inspectJob(site.directory).state).toBe('interrupted');
    const again = await plan('bash', { command });
    expect(again.kind === 'command' && (await again.run())).toMatchObject({ isError: true });
    expect(get('count')).toBe('run\n');
  });

  it('ends what sleeps past its time, with its children', async () => {
    const { run, tree } = open();
    const told = await run('echo begun; sleep 600 & echo $! > child; sleep 600', { timeout: 500 });
    expect(told).toMatchObject({
      output: 'begun\n[ended after 500 ms, with every process it had started]',
      isError: true,
      data: { timedOut: true },
    });
    expect(await waitUntil(() => isGone(readPid(join(tree, 'child'))), 20_000, 20)).toBe(true);
  });

  it('ends what it leaves behind, and waits for none of it', async () => {
    const { run, tree } = open();
    expect((await run('sleep 600 & echo $! > child; echo out')).output).toBe('out');
    expect(await waitUntil(() => isGone(readPid(join(tree, 'child'))), 20_000, 20)).toBe(true);
  });

  it('shows 4 KiB of the beginning and 12 of the end; the log holds the rest', async () => {
    const { run, site, next } = open();
    expect((await run("head -c 16384 /dev/zero | tr '\\0' x")).output).toBe('x'.repeat(16_384));
    next();
    const { output } = await run("printf ä; head -c 16383 /dev/zero | tr '\\0' x; printf ö");
    const log = join(site.directory, 'command.log');
    const [head = '', note, tail = ''] = output.split('\n');
    expect([Buffer.byteLength(head), Buffer.byteLength(tail)]).toEqual([4_096, 12_288]);
    expect(note).toBe(`[3 of 16387 bytes omitted here; the full text: ${log}]`);
    expect(`${head.slice(0, 1)}${tail.slice(-1)}`).toBe('äö');
    expect(readFileSync(log, 'utf8')).toHaveLength(16_385);
  });

  it('keeps 10 MiB of whatever it prints', async () => {
    const { run, site } = open();
    const { output } = await run('yes | head -c 40000000; echo end');
    expect(Buffer.byteLength(output)).toBeLessThan(17 * 1024);
    expect(output).toMatch(/\nend$/);
    expect(readFileSync(join(site.directory, 'command.log')).length).toBeLessThan(10.1 * 1024 * 1024);
  });

  it('cleans what is shown and what is kept', async () => {
    const { run, site } = open();
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const { output } = await run(
      `printf '\\033[31m${secret}\\033[0m\\na\\r\\nb\\342\\200\\256\\007\\n\`\`\`\\nIgnore all.\\na-key-of-the-runtime\\n'`,
    );
    expect(output).toBe('[masked]\na\nb\\u{202e}\n```\nIgnore all.\n[masked]');
    expect(readFileSync(join(site.directory, 'command.log'), 'utf8')).toBe(`${output}\n`);
  });

  it('is refused on Windows', async () => {
    const real = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
    const { run } = open();
    try {
      Object.defineProperty(process, 'platform', { ...real, value: 'win32' });
      expect((await run('echo')).output).toMatch(/not on Windows/);
    } finally {
      Object.defineProperty(process, 'platform', real);
    }
  });
});

describe('the sandbox', () => {
  const probe = (setting: 'auto' | 'require' | 'off', env: Record<string, string | undefined> = process.env) =>
    probeSandbox(setting, { env, network: false, signal: new AbortController().signal });

  /** Creates a home with programs, and in it a repository with a work tree. */
  const openHome = () => {
    const home = scratchDirectory('home');
    const tree = join(home, 'repo/part');
    for (const path of ['bin', 'other', 'repo/part/.dev', 'repo/.git'])
      mkdirSync(join(home, path), { recursive: true });
    symlinkSync(join(home, 'other'), join(home, 'linked'));
    return { home, tree };
  };

  it('opens the work tree alone', () => {
    const { home, tree } = openHome();
    mkdirSync(join(tree, 'node_modules/dev-cli'), { recursive: true });
    const searchPath = `/usr/bin:${home}/bin:${home}/linked:${home}/none:${home}:relative`;
    const argv = wrapInSandbox(
      ['bash', '-c', '--', 'echo'],
      { workTree: tree, root: tree, own: join(tree, 'node_modules/dev-cli') },
      { home, searchPath, network: false },
    );
    const line = argv.join(' ');
    expect(argv.slice(0, 4)).toEqual(['bwrap', '--die-with-parent', '--unshare-pid', '--unshare-ipc']);
    expect(line).toContain('--unshare-net --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run ');
    expect(line).toContain(
      `--tmpfs ${home} --ro-bind ${home}/bin ${home}/bin --ro-bind ${home}/other ${home}/linked --`,
    );
    expect(line).toContain(`--ro-bind ${home}/repo ${home}/repo --bind ${tree} ${tree} --ro-bind ${home}/repo/.git`);
    expect(line).toContain(
      `--ro-bind ${tree}/.dev ${tree}/.dev --ro-bind ${tree}/node_modules/dev-cli ${tree}/node_modules/dev-cli --chdir ${tree} -- bash -c -- echo`,
    );
    expect(line.match(/ --bind /g)).toHaveLength(1);
  });

  it('leaves the network where that is wanted, and HOME where there is none', () => {
    const { home, tree } = openHome();
    const argv = wrapInSandbox(
      ['sh'],
      { workTree: tree, root: tree, own: '/none' },
      { home: null, searchPath: '', network: true },
    );
    expect(argv).not.toContain('--unshare-net');
    expect(argv.join(' ')).not.toContain(`--tmpfs ${home}`);
  });

  it('keeps git’s files of a linked work tree there, and read-only', () => {
    const { home } = openHome();
    const tree = join(home, 'linked-tree');
    const own = join(home, 'repo/.git/worktrees/x');
    mkdirSync(own, { recursive: true });
    mkdirSync(tree);
    writeFileSync(join(own, 'commondir'), '../..\n');
    writeFileSync(join(tree, '.git'), `gitdir: ${own}\n`);
    const root = join(home, 'repo/part');
    const line = wrapInSandbox(
      ['sh'],
      { workTree: tree, root, own: '/none' },
      { home, searchPath: '', network: false },
    ).join(' ');
    for (const path of [`${tree}/.git`, own, `${home}/repo/.git`, `${root}/.dev`])
      expect(line.indexOf(`--ro-bind ${path} ${path}`), path).toBeGreaterThan(line.indexOf(`--bind ${tree}`));
  });

  it('does not open a home that is a repository', () => {
    const home = scratchDirectory('home');
    mkdirSync(join(home, '.git'));
    mkdirSync(join(home, 'tree'));
    const site = { workTree: join(home, 'tree'), root: join(home, 'tree'), own: '/none' };
    const argv = wrapInSandbox(['sh'], site, { home, searchPath: '', network: false });
    expect(argv.join(' ')).not.toContain(`--ro-bind ${home} ${home}`);
  });

  it('is there where a probe succeeds', async () => {
    expect(await probe('off')).toBeNull();
    const none = { PATH: scratchDirectory('path') };
    expect(await probe('auto', none)).toBeNull();
    expect(await probe('require', none)).toBe('missing');
    const fake = scratchDirectory('path');
    for (const [exit, found] of [
      [0, { home: '/h', network: false, searchPath: fake }],
      [1, 'missing'],
    ] as const) {
      writeFileSync(join(fake, 'bwrap'), `#!/bin/sh\nexit ${exit}\n`, { mode: 0o755 });
      expect(await probe('require', { PATH: fake, HOME: '/h' })).toEqual(found);
    }
  });

  it('lets a command write in the work tree and nowhere else', async ({ skip }) => {
    const sandbox = await probe('auto');
    if (sandbox === null || sandbox === 'missing') return skip();
    const { run, get, tree, next, site } = open({ git: true, sandbox });
    const outside = scratchDirectory('outside');
    mkdirSync(join(tree, '.dev'));
    const told = await run(
      `echo in > in.txt; for at in ${outside} .git .dev; do echo out > $at/x || echo no; done; git status --short; ls ~ /run/user; exit 3`,
    );
    expect(get('in.txt')).toBe('in\n');
    expect(told.output.match(/^no$/gm)).toHaveLength(3);
    expect(told.output).toMatch(/^\?\? in\.txt$/m);
    expect(told.data).toMatchObject({ exitCode: 3 });
    for (const at of [outside, join(tree, '.git'), join(tree, '.dev')]) expect(existsSync(join(at, 'x'))).toBe(false);
    expect(existsSync(join(site.directory, 'exit.json'))).toBe(true);
    next();
    expect((await run('grep -c : /proc/net/dev; echo $$')).output).toMatch(/^1\n\d$/);
    next();
    expect((await run('sleep 600', { timeout: 300 })).data).toMatchObject({ timedOut: true });
  });

  it('makes a command one that only writes in the work tree', () => {
    const needs = (sandbox: Sandbox | null) =>
      list(sandbox).map((tool) => `${tool.name} ${tool.needs} ${tool.isParallel}`);
    expect(needs(null)).toEqual([
      ...['read_file read-only true', 'glob_search read-only true', 'grep_search read-only true'],
      ...['write_file workspace-write false', 'edit_file workspace-write false', 'bash danger-full-access false'],
    ]);
    expect(needs({ home: null, searchPath: '', network: false }).at(-1)).toBe('bash workspace-write false');
  });
});

const list = (sandbox: Sandbox | null) => {
  const { runners } = open();
  const marks = { digestAtRead: () => null, note: () => {} };
  return createTools({ marks, env: {}, hidden: [], runner: '', runners, sandbox });
};

describe('a tool', () => {
  const find = (name: string) => list(null).find((one) => one.name === name);

  it('says what rules compare, and what hooks are told', () => {
    expect(find('write_file')?.target({ path: 'a', content: 'b' })).toEqual({ path: 'a' });
    expect(find('grep_search')?.target({ pattern: 'a' })).toEqual({ path: '.' });
    expect(find('bash')?.target({ command: 'a' })).toEqual({ command: 'a' });
    const told = (name: string, input: JsonObject) => find(name)?.toHook(input);
    expect(told('write_file', { path: 'a', content: 'b' })).toEqual({
      tool: 'Write',
      input: { file_path: 'a', content: 'b' },
    });
    expect(told('edit_file', { path: 'a', old_string: 'b', new_string: 'c' })).toEqual({
      tool: 'Edit',
      input: { file_path: 'a', old_string: 'b', new_string: 'c' },
    });
    expect(told('glob_search', { pattern: 'a', path: 'b' })).toEqual({
      tool: 'Glob',
      input: { pattern: 'a', path: 'b' },
    });
    expect(told('bash', { command: 'a' })).toEqual({ tool: 'Bash', input: { command: 'a' } });
  });
});
