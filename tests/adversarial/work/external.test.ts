import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  endCommand,
  inspectJob,
  type JobRequest,
  launchDetached,
  prepareRunner,
  waitFinished,
} from '../../../src/jobs/detached.js';
import { LOG_LIMIT } from '../../../src/jobs/log.js';
import { RunnerProcesses } from '../../../src/jobs/runner-process.js';
import { identifyProcess } from '../../../src/store/process.js';
import { readStartTime } from '../../../src/work/processes.js';
import { type Bench, createBench, eventually, finished, inState, isRunning, logIn, startedIn } from './bench.js';

let bench: Bench;
beforeAll(async () => {
  bench = await createBench();
});
afterAll(() => bench.remove());

const sh = (line: string) => ['sh', '-c', line];
/** Returns the process id that a command wrote to a file in its working directory. */
const pidIn = (file: string) =>
  eventually(() => existsSync(join(bench.cwd, file)) && Number(readFileSync(join(bench.cwd, file), 'utf8')));

/** Returns the pid of the runner with this command file, or null. */
function findRunner(commandFile: string): number | null {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const line = listed.find((one) => one.includes(`${bench.runner} ${commandFile}`));
  return line === undefined ? null : Number.parseInt(line, 10);
}

describe('a command that behaves', () => {
  it('leaves its exit, its log and nothing to guess', async () => {
    const directory = bench.start('fine', sh('echo out; echo err >&2; exit 3'), { tree: 'of the tree' });
    const exit = await finished(directory);
    expect(exit).toEqual({
      key: 'fine',
      argv: sh('echo out; echo err >&2; exit 3'),
      tree: 'of the tree',
      exit: 3,
      signal: null,
      timedOut: false,
      startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      durationMs: expect.any(Number),
      logBytes: 8,
    });
    expect(logIn(directory)).toBe('out\nerr\n');
    await eventually(() => !existsSync(join(directory, 'runner')));
    expect(readdirSync(directory).sort()).toEqual(['command.log', 'exit.json']);
  });

  it('has its start on record while it runs', async () => {
    const directory = bench.start('runs', sh(`cat '${bench.directory('runs').replaceAll("'", "'\\''")}/started.json'`));
    await finished(directory);
    expect(JSON.parse(logIn(directory))).toEqual({
      pid: expect.any(Number),
      start: expect.any(String),
      host: expect.any(String),
      pgid: expect.any(Number),
      groupStart: expect.any(String),
      at: expect.any(String),
    });
  });

  it('runs in its directory, with its arguments as they are', async () => {
    const odd = ['a b', '$HOME', '"', "'", 'line\nbreak', '', '*', '-n', 'ü'];
    const directory = bench.start('arguments', [
      process.execPath,
      '-p',
      'process.cwd() + JSON.stringify(process.argv.slice(1))',
      '--',
      ...odd,
    ]);
    expect((await finished(directory)).exit).toBe(0);
    expect(logIn(directory)).toBe(`${bench.cwd}${JSON.stringify(odd)}\n`);
  });

  it('is a line for the shell where the recipe says so', async () => {
    const directory = bench.start('shell', ['for i in 1 2; do echo "$i"; done | tr 12 ab'], { shell: true });
    expect((await finished(directory)).exit).toBe(0);
    expect(logIn(directory)).toBe('a\nb\n');
  });

  it('may open /dev/stdout and /dev/stderr', async () => {
    const directory = bench.start('devices', sh('echo one >/dev/stdout && echo two >/dev/stderr'));
    expect((await finished(directory)).exit).toBe(0);
    expect(logIn(directory)).toBe('one\ntwo\n');
  });

  it('inherits the environment less the session of dev-cli but for its mark, and none of it is written down', async () => {
    const env = {
      ...process.env,
      TOKEN_OF_TEST: 'hunter2',
      DEV_CLI_SESSION: 'abc',
      DEV_CLI_ROOT: '/x',
      DEV_CLI_AGENT: 'loop',
    };
    const line = 'echo "${#TOKEN_OF_TEST}"; env | grep DEV_CLI_; true';
    const directory = bench.start('environment', sh(line), { env });
    await finished(directory);
    expect(logIn(directory)).toBe('7\nDEV_CLI_AGENT=loop\n');
    await eventually(() => !existsSync(join(directory, 'runner')));
    for (const name of readdirSync(directory))
      expect(readFileSync(join(directory, name), 'utf8')).not.toContain('hunter2');
  });

  it('reads the file that is named as its standard input, and nothing where none is', async () => {
    const stdin = join(bench.cwd, 'the prompt');
    writeFileSync(stdin, 'line one\nline two');
    const reads = bench.start('reads', ['cat'], { stdin });
    const none = bench.start('none', ['cat']);
    expect([(await finished(reads)).exit, logIn(reads)]).toEqual([0, 'line one\nline two']);
    expect([(await finished(none)).exit, logIn(none)]).toEqual([0, '']);
  });

  it.each([
    ['is not there', 'nowhere', 'ENOENT'],
    ['is not a file', '.', 'is not a file'],
  ])('does not start where what it is to read %s', async (_what, name, reason) => {
    const directory = bench.start(`input ${name.length}`, ['touch', 'began'], { stdin: join(bench.cwd, name) });
    const exit = await finished(directory);
    expect(exit).toMatchObject({ exit: null, error: 'spawn', reason: expect.stringContaining(reason) });
    expect(existsSync(join(bench.cwd, 'began'))).toBe(false);
  });

  it('goes on when the process that launched it has gone at once', async () => {
    const script = join(bench.cwd, 'parent.cjs');
    const entry = `import { launchDetached } from ${JSON.stringify(join(import.meta.dirname, '../../../src/jobs/detached.ts'))};
      import { RunnerProcesses } from ${JSON.stringify(join(import.meta.dirname, '../../../src/jobs/runner-process.ts'))};
      launchDetached(JSON.parse(process.argv[2]), new RunnerProcesses()); process.exit(0);`;
    await build({
      stdin: { contents: entry, resolveDir: bench.cwd },
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'cjs',
    });
    const directory = bench.directory('orphan');
    const spec = { key: 'k', argv: sh('sleep 0.5; echo done'), shell: false, cwd: bench.cwd, timeoutSeconds: 60 };
    execFileSync(process.execPath, [script, JSON.stringify({ ...spec, directory, runner: bench.runner })]);
    expect(inspectJob(directory).state).not.toBe('finished');
    expect((await finished(directory)).exit).toBe(0);
    expect(logIn(directory)).toBe('done\n');
  });
});

describe('a command that does not', () => {
  it('is ended when its time is over', async () => {
    const directory = bench.start('hangs', sh('echo $$ >hangs.pid; sleep 600'), { timeoutSeconds: 0.5 });
    expect(await finished(directory)).toMatchObject({ exit: null, signal: 'SIGTERM', timedOut: true });
    expect(isRunning(await pidIn('hangs.pid'))).toBe(false);
  });

  it('is killed when it ignores that, with all its children', async () => {
    const directory = bench.start(
      'stubborn',
      sh(
        `trap '' TERM; (trap '' TERM; sh -c 'echo $$ >child.pid; while :; do sleep 0.1; done') & while :; do sleep 0.1; done`,
      ),
      { timeoutSeconds: 0.5 },
    );
    const exit = await finished(directory);
    expect(exit).toMatchObject({ exit: null, signal: 'SIGKILL', timedOut: true });
    expect(exit.durationMs).toBeGreaterThan(5_000);
    expect(isRunning(await pidIn('child.pid'))).toBe(false);
  });

  it('does not fill the disk, and both ends of what it says are kept', async () => {
    const size = 50 * 1024 * 1024;
    const directory = bench.start('flood', sh(`echo first; head -c ${size} /dev/zero | tr '\\0' x; echo; echo last`));
    const exit = await finished(directory);
    expect(exit).toMatchObject({ exit: 0, logBytes: size + 12 });
    const log = logIn(directory);
    expect(log.length).toBeLessThan(LOG_LIMIT + 200);
    expect(log.startsWith('first\nx')).toBe(true);
    expect(log).toContain(`[dev-cli: ${size + 12 - LOG_LIMIT} bytes of output were cut out here]`);
    expect(log.endsWith('x\nlast\n')).toBe(true);
  });

  it('takes what it left running with it', async () => {
    const directory = bench.start('leftover', sh('sleep 600 & echo $! >left.pid; echo done'));
    expect(await finished(directory)).toMatchObject({ exit: 0, signal: null, timedOut: false });
    expect(isRunning(await pidIn('left.pid'))).toBe(false);
    expect(logIn(directory)).toBe('done\n');
  });

  it('is not waited for when a child has left the group and holds the pipe', async () => {
    const directory = bench.start(
      'escaped',
      sh('setsid sh -c "echo \\$\\$ >escaped.pid; exec sleep 3600" & sleep 0.3; echo done'),
    );
    expect(await finished(directory)).toMatchObject({ exit: 0 });
    const pid = await pidIn('escaped.pid');
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('gets no answer when it asks', async () => {
    const directory = bench.start(
      'asks',
      sh('read -r answer; echo "got $? [$answer]"; read -r tty </dev/tty || echo no terminal'),
    );
    expect((await finished(directory)).exit).toBe(0);
    expect(logIn(directory)).toContain('got 1 []');
    expect(logIn(directory)).toContain('no terminal');
  });

  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'])('is seen to be ended by its own %s', async (signal) => {
    const directory = bench.start(`signal-${signal}`, sh(`kill -${signal.slice(3)} $$`));
    expect(await finished(directory)).toMatchObject({ exit: null, signal, timedOut: false });
  });

  it('may send signals to its whole group without hitting the runner', async () => {
    const directory = bench.start('group', sh('sleep 600 & kill -KILL 0'));
    expect(await finished(directory)).toMatchObject({ exit: null, signal: 'SIGKILL', timedOut: false });
  });

  it('is told apart when it does not exist, or cannot be executed', async () => {
    writeFileSync(join(bench.cwd, 'plain'), 'x', { mode: 0o644 });
    const missing = bench.start('missing', ['no-such-program-anywhere', 'x']);
    const plain = bench.start('plain', [join(bench.cwd, 'plain')]);
    expect(await finished(missing)).toMatchObject({ exit: 127, signal: null });
    expect(logIn(missing)).toContain('no-such-program-anywhere');
    expect(await finished(plain)).toMatchObject({ exit: 126, signal: null });
  });

  it.each([
    ['a working directory that is gone', ['true'], { cwd: '/no/such/directory' }],
    ['no words', [], {}],
    ['two lines for the shell', ['true', 'false'], { shell: true }],
    ['a NUL in an argument', ['echo', 'a\0b'], {}],
    ['more arguments than the system takes', ['echo', 'x'.repeat(4 * 1024 * 1024)], {}],
  ])('cannot be started with %s, which is no exit of the command', async (name, argv, more) => {
    const directory = bench.start(name, argv, more);
    expect(await finished(directory)).toMatchObject({
      exit: null,
      signal: null,
      error: 'spawn',
      reason: expect.any(String),
    });
    expect(existsSync(join(directory, 'started.json'))).toBe(false);
    expect(logIn(directory)).toContain('could not be started');
  });

  it('is still judged when its log cannot be written', async () => {
    const directory = bench.directory('logless');
    mkdirSync(join(directory, 'command.log'), { recursive: true });
    bench.start('logless', sh('echo x; exit 4'));
    expect(await finished(directory)).toMatchObject({ exit: 4, error: 'log', logBytes: 2 });
  });
});

describe('one execution', () => {
  const run = (directory: string) =>
    new Promise((resolve) => {
      spawn(process.execPath, [bench.runner, join(directory, 'command.json')], { stdio: 'ignore' }).once(
        'exit',
        resolve,
      );
    });
  const count = (file: string) => readFileSync(join(bench.cwd, file), 'utf8').length;

  it('comes of eight runners at once', async () => {
    const directory = bench.directory('race');
    mkdirSync(directory, { recursive: true });
    const spec = {
      key: 'k',
      argv: sh('printf x >>raced; sleep 0.3'),
      shell: false,
      cwd: bench.cwd,
      timeoutSeconds: 60,
    };
    writeFileSync(join(directory, 'command.json'), JSON.stringify(spec));
    const runners = Array.from({ length: 8 }, () =>
      spawn(process.execPath, [bench.runner, join(directory, 'command.json')], { stdio: 'ignore' }),
    );
    await Promise.all(runners.map((runner) => new Promise((resolve) => runner.once('exit', resolve))));
    expect((await finished(directory)).exit).toBe(0);
    expect(count('raced')).toBe(1);
  });

  it('is not repeated by a launch while it runs, or after it ended', async () => {
    const again = () => bench.start('again', sh('printf x >>again; sleep 0.5'));
    const directory = again();
    again();
    await inState(directory, 'running');
    again();
    await finished(directory);
    again();
    // Starts a runner for a command that has ended, like one that was slow to start. This runner must not run it again.
    await run(directory);
    expect(count('again')).toBe(1);
  });

  it('is not repeated after a runner that died in the middle', async () => {
    const start = () => bench.start('killed', sh('printf x >>killed; exec sleep 600'));
    const directory = start();
    await eventually(() => existsSync(join(bench.cwd, 'killed')));
    const { pid, pgid } = startedIn(directory);
    process.kill(pid, 'SIGKILL');
    expect((await inState(directory, 'interrupted')).startedAt).toMatch(/Z$/);
    start();
    await run(directory);
    expect(inspectJob(directory).state).toBe('interrupted');
    expect(count('killed')).toBe(1);
    // The command itself runs on, and can be ended.
    expect(isRunning(pgid)).toBe(true);
    await endCommand(directory);
    expect(isRunning(pgid)).toBe(false);
  });

  it('happens at the next launch when a runner died before anything was on record', async () => {
    const directory = bench.directory('early');
    mkdirSync(directory, { recursive: true });
    const dead = spawn('true');
    await new Promise((resolve) => dead.once('exit', resolve));
    const { host } = identifyProcess();
    const holder = { host, pid: dead.pid, start: '1', token: 'ab', at: '2026-01-01T00:00:00.000Z', for: 'x' };
    writeFileSync(join(directory, 'runner'), JSON.stringify(holder));
    bench.start('early', sh('exit 5'));
    expect(await finished(directory)).toMatchObject({ exit: 5 });
  });

  it('does not happen when the start cannot be recorded, and the runner does not stay behind', async () => {
    const tools = join(bench.cwd, 'tools');
    mkdirSync(tools);
    const directory = bench.directory('unrecorded');
    mkdirSync(directory, { recursive: true });
    // The runner claims the command, creates a pipe with mkfifo, and then records the start. This replacement for
    // mkfifo removes the directory first, so that the start cannot be recorded.
    writeFileSync(join(tools, 'mkfifo'), '#!/bin/sh\nrm -r "$VICTIM"\nPATH=${PATH#*:} exec mkfifo "$@"\n', {
      mode: 0o755,
    });
    const spec = { key: 'k', argv: ['touch', 'unrecorded'], shell: false, cwd: bench.cwd, timeoutSeconds: 60 };
    writeFileSync(join(directory, 'command.json'), JSON.stringify(spec));
    const env = { ...process.env, PATH: `${tools}:${process.env['PATH']}`, VICTIM: directory };
    const runner = spawn(process.execPath, [bench.runner, join(directory, 'command.json')], { env, stdio: 'ignore' });
    expect(await new Promise((resolve) => runner.once('exit', resolve))).toBe(1);
    expect(existsSync(directory)).toBe(false);
    expect(existsSync(join(bench.cwd, 'unrecorded'))).toBe(false);
  });

  it('never happens when a runner dies at the gate', async () => {
    // Runs GATE as the runner does: this script waits for a line on descriptor 3 before it becomes the command.
    // Descriptor 3 gets `input` and is then closed.
    const source = readFileSync(join(import.meta.dirname, '../../../src/jobs/runner.ts'), 'utf8');
    const gate = /const GATE = '(.*)';/.exec(source)?.[1] ?? '';
    const through = (input: string) => {
      const child = spawn('/bin/sh', ['-c', gate, 'sh', 'sh', '-c', 'exit 7'], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      (child.stdio[3] as NodeJS.WritableStream).end(input);
      return new Promise((resolve) => child.once('exit', resolve));
    };
    expect(await through('')).toBe(125);
    expect(await through('\n')).toBe(7);
  });
});

describe('a runner that waits for more', () => {
  let runners: RunnerProcesses;
  beforeEach(() => {
    runners = new RunnerProcesses();
  });
  afterEach(() => runners.release());

  function hand(name: string, line: string, more: Partial<JobRequest> = {}): string {
    const directory = bench.directory(name);
    const spec = { key: name, argv: sh(line), shell: false, cwd: bench.cwd, timeoutSeconds: 60 };
    launchDetached({ ...spec, directory, runner: bench.runner, ...more }, runners);
    return directory;
  }
  const ends = (pid: number) => eventually(() => !isRunning(pid));
  /** Returns the pid of the runner of a command whose first output is `$PPID`. */
  const runnerOf = (directory: string) => Number.parseInt(logIn(directory), 10);

  it('sees to one command after the other, each with its own records', async () => {
    const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
    const directories = [];
    for (const [n, name] of names.entries()) {
      directories.push(hand(name, `echo $PPID ${name}; exit ${n}`));
      expect((await finished(directories[n] ?? '')).exit).toBe(n);
    }
    const pids = new Set(directories.map(runnerOf));
    expect(directories.map(logIn)).toEqual(names.map((name) => `${[...pids][0]} ${name}\n`));
    expect(pids.size).toBe(1);
    runners.release();
    for (const pid of pids) await ends(pid);
  });

  it('takes them in order when they come at once, and finishes when it is let go meanwhile', async () => {
    const slow = hand('held up', 'sleep 0.5; echo slow >>order');
    const next = hand('behind', 'echo $PPID; echo next >>order');
    runners.release();
    expect((await finished(slow)).exit).toBe(0);
    expect((await finished(next)).exit).toBe(0);
    expect(readFileSync(join(bench.cwd, 'order'), 'utf8')).toBe('slow\nnext\n');
    await ends(runnerOf(next));
  });

  it('keeps what one command left behind out of the log of the next', async () => {
    const one = hand(
      'leaves',
      'setsid sh -c "echo \\$\\$ >leaver.pid; while sleep 0.02; do echo late; done" & sleep 0.2',
    );
    await finished(one);
    const pid = await pidIn('leaver.pid');
    const two = hand('clean', 'sleep 0.2; echo mine');
    await finished(two);
    expect(logIn(two)).toBe('mine\n');
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });

  it('is another one for another environment', async () => {
    const here = hand('here', 'echo $PPID "$WHERE"', { env: { ...process.env, WHERE: 'here' } });
    const there = hand('there', 'echo $PPID "$WHERE"', { env: { ...process.env, WHERE: 'there' } });
    await Promise.all([finished(here), finished(there)]);
    expect([logIn(here), logIn(there)]).toEqual([expect.stringMatching(/ here$/m), expect.stringMatching(/ there$/m)]);
    expect(runnerOf(here)).not.toBe(runnerOf(there));
  });

  it('is replaced when it died', async () => {
    const one = hand('before', 'echo $PPID');
    await finished(one);
    const pid = runnerOf(one);
    process.kill(pid, 'SIGKILL');
    await ends(pid);
    await sleep(50);
    const two = hand('after', 'echo $PPID; exit 4');
    expect((await finished(two)).exit).toBe(4);
    expect(runnerOf(two)).not.toBe(pid);
  });

  it('is ended by a signal to it, with its command, and what was behind that is launched again', async () => {
    const one = hand('hit', 'sleep 600');
    await inState(one, 'running');
    const two = hand('waits', 'echo 1 >>waits.times');
    process.kill(startedIn(one).pid, 'SIGKILL');
    await inState(one, 'interrupted');
    expect(inspectJob(two)).toEqual({ state: 'launching' });
    await endCommand(one);
    await sleep(50);
    hand('waits', 'echo 1 >>waits.times');
    expect((await finished(two)).exit).toBe(0);
    expect(readFileSync(join(bench.cwd, 'waits.times'), 'utf8')).toBe('1\n');
  });

  it('that was prepared begins nothing by itself, then takes the command, or ends without one', async () => {
    const directory = bench.directory('prepared');
    prepareRunner({ directory, runner: bench.runner }, runners);
    await sleep(300);
    expect(inspectJob(directory)).toEqual({ state: 'absent' });
    const temporary = join(bench.cwd, 'prepared-temporary');
    mkdirSync(temporary);
    const env = { ...process.env, TMPDIR: temporary };
    runners.prepare(bench.runner, join(temporary, 'command.json'), env);
    const prepared = await eventually(() => findRunner(join(temporary, 'command.json')));
    expect((await finished(hand('prepared', 'echo $PPID; exit 6'))).exit).toBe(6);
    const pid = runnerOf(directory);
    expect(pid).not.toBe(prepared);
    runners.release();
    await ends(pid);
    await ends(prepared);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('how a command stands', () => {
  it('is absent, launching, running, finished', async () => {
    const directory = bench.directory('states');
    expect(inspectJob(directory)).toEqual({ state: 'absent' });
    mkdirSync(directory, { recursive: true });
    const spec = { key: 'k', argv: sh('sleep 0.5'), shell: false, cwd: bench.cwd, timeoutSeconds: 60 };
    writeFileSync(join(directory, 'command.json'), JSON.stringify(spec));
    expect(inspectJob(directory)).toEqual({ state: 'launching' });
    launchDetached({ ...spec, directory, runner: bench.runner }, new RunnerProcesses());
    const { startedAt } = await inState(directory, 'running');
    expect(startedAt).toBe(startedIn(directory).at);
    expect((await inState(directory, 'finished')).exit).toMatchObject({ exit: 0 });
  });

  it.each([
    ['another process has the number now', { start: 'another' }],
    ['the machine was started anew', { host: 'another-boot' }],
    ['the process is gone', { pid: 2 ** 22 + 1 }],
  ])('is interrupted when %s', (_name, change) => {
    const directory = bench.directory(`stands ${JSON.stringify(change)}`);
    mkdirSync(directory, { recursive: true });
    const mine = {
      pid: process.pid,
      start: readStartTime(process.pid),
      pgid: 2 ** 22 + 1,
      groupStart: null,
      at: 'then',
    };
    const { host } = identifyProcess();
    writeFileSync(join(directory, 'started.json'), JSON.stringify({ ...mine, host }));
    expect(inspectJob(directory)).toEqual({ state: 'running', startedAt: 'then' });
    writeFileSync(join(directory, 'started.json'), JSON.stringify({ ...mine, host, ...change }));
    expect(inspectJob(directory)).toEqual({ state: 'interrupted', startedAt: 'then' });
  });

  it.each(['', '{', 'null', '[]', '{"exit":0}', '{"exit":"0","argv":[]}'])(
    'is interrupted by an exit.json that says %j',
    (text) => {
      const directory = bench.directory('damaged');
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'exit.json'), text);
      expect(inspectJob(directory)).toEqual({ state: 'interrupted' });
    },
  );

  it('is interrupted by a command.json that no runner can read', () => {
    const directory = bench.directory('unreadable');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'command.json'), '{"key":"k"}');
    expect(inspectJob(directory)).toEqual({ state: 'interrupted' });
  });

  it('is not believed when it says that a process group is 0, 1 or negative', () => {
    const directory = bench.directory('hostile');
    mkdirSync(directory, { recursive: true });
    for (const pgid of [0, 1, -1, 1.5, '7', null]) {
      const record = {
        pid: process.pid,
        start: readStartTime(process.pid),
        host: 'h',
        pgid,
        groupStart: null,
        at: 'then',
      };
      writeFileSync(join(directory, 'started.json'), JSON.stringify(record));
      expect(inspectJob(directory)).toEqual({ state: 'interrupted' });
    }
  });
});

describe('waiting', () => {
  it('ends soon after the first of several has finished', async () => {
    const slow = bench.start('slow', sh('sleep 3600'), { timeoutSeconds: 3_600 });
    const quick = bench.start('quick', sh('sleep 0.3'));
    await waitFinished([slow, quick], { milliseconds: 3_600_000 });
    expect(inspectJob(quick).state).toBe('finished');
    expect(inspectJob(slow).state).toBe('running');
    const from = performance.now();
    await waitFinished([slow], { milliseconds: 300 });
    expect(performance.now() - from).toBeGreaterThanOrEqual(290);
    expect(inspectJob(slow).state).toBe('running');
    await endCommand(slow);
  });

  it('ends when a runner dies', async () => {
    const directory = bench.start('dies', sh('sleep 600'));
    await inState(directory, 'running');
    const waiting = waitFinished([directory], { milliseconds: 20_000 });
    process.kill(startedIn(directory).pid, 'SIGKILL');
    await waiting;
    expect(inspectJob(directory).state).toBe('interrupted');
    await endCommand(directory);
  });

  it('gives way to Ctrl-C, before and during', async () => {
    const directory = bench.start('waited', sh('sleep 600'));
    const soon = waitFinished([directory], { milliseconds: 20_000, signal: AbortSignal.timeout(100) });
    await expect(soon).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const before = waitFinished([directory], { milliseconds: 20_000, signal: AbortSignal.abort() });
    await expect(before).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await endCommand(directory);
  });

  it('is over at once with nothing to wait for', async () => {
    await waitFinished([], { milliseconds: 600_000 });
  });
});

describe('ending', () => {
  it('ends the whole group and leaves an exit record; twice is no more than once', async () => {
    const directory = bench.start('ended', sh('sleep 600 & echo $! >ended.pid; wait'));
    const pid = await pidIn('ended.pid');
    await Promise.all([endCommand(directory), endCommand(directory)]);
    expect(inspectJob(directory)).toMatchObject({ state: 'finished', exit: { signal: 'SIGTERM', timedOut: false } });
    expect(isRunning(pid)).toBe(false);
    await endCommand(directory);
  });

  it('withdraws a command that has not begun: a runner that comes late leaves', async () => {
    const directory = bench.directory('withdrawn');
    mkdirSync(directory, { recursive: true });
    const spec = { key: 'k', argv: ['touch', 'withdrawn'], shell: false, cwd: bench.cwd, timeoutSeconds: 60 };
    writeFileSync(join(directory, 'command.json'), JSON.stringify(spec));
    await endCommand(directory);
    expect(inspectJob(directory)).toEqual({ state: 'absent' });
    const late = spawn(process.execPath, [bench.runner, join(directory, 'command.json')], { stdio: 'ignore' });
    expect(await new Promise((resolve) => late.once('exit', resolve))).toBe(0);
    expect(existsSync(join(bench.cwd, 'withdrawn'))).toBe(false);
  });

  it.each([0, 30, 60, 90, 120, 150, 180])('%i ms after the launch leaves nothing at work', async (milliseconds) => {
    const name = `race-${milliseconds}`;
    const directory = bench.start(name, sh(`echo $$ >${name}; exec sleep 600`));
    await sleep(milliseconds);
    await endCommand(directory);
    await sleep(500);
    expect(['absent', 'finished']).toContain(inspectJob(directory).state);
    if (existsSync(join(bench.cwd, name))) expect(isRunning(await pidIn(name))).toBe(false);
  });

  it('of a directory that holds nothing does nothing', async () => {
    const directory = bench.directory('never');
    await endCommand(directory);
    expect(inspectJob(directory)).toEqual({ state: 'absent' });
    expect(existsSync(directory)).toBe(false);
  });

  it('never hits a process that merely has the number of one that is gone', async () => {
    const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const pid = stranger.pid as number;
    const directory = bench.directory('reused');
    mkdirSync(directory, { recursive: true });
    const { host } = identifyProcess();
    const record = { pid: 2 ** 22 + 1, start: '1', host, pgid: pid, groupStart: 'earlier', at: 'then' };
    writeFileSync(join(directory, 'started.json'), JSON.stringify(record));
    await endCommand(directory);
    expect(isRunning(pid)).toBe(true);
    writeFileSync(
      join(directory, 'started.json'),
      JSON.stringify({ ...record, host: 'another', groupStart: readStartTime(pid) }),
    );
    await endCommand(directory);
    expect(isRunning(pid)).toBe(true);
    writeFileSync(join(directory, 'started.json'), JSON.stringify({ ...record, groupStart: readStartTime(pid) }));
    await endCommand(directory);
    expect(isRunning(pid)).toBe(false);
  });

  it('is what a runner does that is asked to stop', async () => {
    const directory = bench.start('stopped', sh('sleep 600'));
    await inState(directory, 'running');
    process.kill(startedIn(directory).pid, 'SIGTERM');
    expect(await finished(directory)).toMatchObject({ exit: null, signal: 'SIGTERM', timedOut: false });
  });
});

describe('launching', () => {
  it('says that the runner is missing', () => {
    const missing = () => bench.start('unlaunched', ['true'], { runner: join(bench.cwd, 'gone.cjs') });
    expect(missing).toThrowError(expect.objectContaining({ code: 'IO' }));
  });

  it('says that its directory cannot be made', () => {
    writeFileSync(join(bench.cwd, 'file'), '');
    const blocked = () => bench.start('x', ['true'], { directory: join(bench.cwd, 'file/x') });
    expect(blocked).toThrowError(expect.objectContaining({ code: 'IO' }));
  });

  it('leaves no named pipe or temporary file behind', async () => {
    const temporary = join(bench.cwd, 'temporary');
    mkdirSync(temporary);
    const directory = bench.start('tidy', sh('exit 0'), { env: { ...process.env, TMPDIR: temporary } });
    await finished(directory);
    await eventually(() => !existsSync(join(directory, 'runner')));
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(directory).sort()).toEqual(['command.log', 'exit.json']);
    expect(statSync(join(directory, 'command.log')).isFile()).toBe(true);
  });
});
